import type { AgentState } from '../src/domain/agent/state';
import type { AgentStepThatFailed } from '../src/ports/agentDesk';
import type { Dependencies } from './dependencies';

/** Writes down why a step failed and what that leads to. `pauseMs`: when it is tried again; null where it is not. */
export function failAgentStep({ agent }: Pick<Dependencies, 'agent'>) {
  return async (
    step: AgentStepThatFailed,
  ): Promise<{ readonly state: AgentState; readonly pauseMs: number | null }> => agent.fail(step);
}

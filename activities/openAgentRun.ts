import type { AgentRunInput, AgentState } from '../src/domain/agent/state';
import type { Dependencies } from './dependencies';

/** The run as its row has it, which is running from now on. Throws CountersignError not_started_here. */
export function openAgentRun({ agent }: Pick<Dependencies, 'agent'>) {
  return async (run: AgentRunInput): Promise<AgentState> => agent.open(run);
}

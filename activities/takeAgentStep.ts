import { cancellationSignal } from '@temporalio/activity';
import type { AgentState } from '../src/domain/agent/state';
import type { AgentStepToTake } from '../src/ports/agentDesk';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

/** One step of the plan; what it changes has the key `<runId>:<stepId>`, so a repeat changes nothing more. */
export function takeAgentStep({ agent }: Pick<Dependencies, 'agent'>) {
  return async (step: AgentStepToTake): Promise<AgentState> =>
    whileHeartbeating(() => agent.take(step, cancellationSignal()));
}

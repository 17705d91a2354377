import { cancellationSignal } from '@temporalio/activity';
import type { AgentRunInput, AgentState } from '../src/domain/agent/state';
import type { Dependencies } from './dependencies';
import { whileHeartbeating } from './heartbeat';

/** Makes the plan, once: by rules, or by the model that is set. */
export function planAgentRun({ agent }: Pick<Dependencies, 'agent'>) {
  return async (run: AgentRunInput): Promise<AgentState> =>
    whileHeartbeating(() => agent.plan(run, cancellationSignal()));
}

import type { AgentRun } from '../../ports/agentRuns';
import type { ModelTurn } from '../../ports/model';
import type { Store } from '../../ports/store';

/** Books what every turn with a model has cost, at once: what comes of the conversation changes nothing about it. */
export function spentOn(store: Store, { tenant, runId }: AgentRun): (turn: ModelTurn) => Promise<void> {
  return async ({ inputTokens, outputTokens, costMicros }) =>
    store.inTenant(tenant, ({ agentRuns }) =>
      agentRuns.addUsage(runId, { calls: 1, inputTokens, outputTokens, costMicros }),
    );
}

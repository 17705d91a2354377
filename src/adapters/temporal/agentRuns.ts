import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { AgentRunInput } from '../../domain/agent/state';
import { agentRunWorkflowId, signalNames, taskQueues } from '../../domain/contract';

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);

/** How an agent run is started; where it goes on already, only the signal reaches it. */
export function agentRunStart(input: AgentRunInput) {
  return {
    workflowId: agentRunWorkflowId(input.tenant, input.runId),
    taskQueue: taskQueues.refunds,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    args: [input],
    signal: signalNames.agentWoken,
    signalArgs: [],
    typedSearchAttributes: [{ key: tenantKey, value: input.tenant }],
    staticSummary: `Agent run ${input.runId}`,
    staticDetails: `An agent run of tenant ${input.tenant}; its goal stands in the database alone.`,
  };
}

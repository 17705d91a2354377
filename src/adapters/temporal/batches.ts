import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { refundWorkflowId, signalNames, taskQueues, workflowTypes } from '../../domain/contract';
import type { BatchStart } from '../../ports/engine';

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);

/** Starts the batch's workflow, or wakes the one that there is; one that has ended stays so. */
export async function carryBatch(client: Client, { input, cancelledBy }: BatchStart): Promise<void> {
  const { tenant } = input;
  const [type, batchId] =
    'runId' in input
      ? [workflowTypes.refundBatch, input.runId]
      : [workflowTypes.ingestKnowledge, input.batchId];
  await client.workflow.signalWithStart(type, {
    workflowId: refundWorkflowId(tenant, batchId),
    taskQueue: taskQueues.bulk,
    args: [input],
    signal: signalNames.batchChanged,
    signalArgs: [cancelledBy === undefined ? {} : { cancelledBy }],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    priority: { priorityKey: 4, fairnessKey: tenant },
    typedSearchAttributes: [{ key: tenantKey, value: tenant }],
    staticSummary: `Batch ${batchId}`,
    staticDetails: `A batch of tenant ${tenant}; its rows stand in the database.`,
  });
}

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { refundWorkflowId, taskQueues } from '../../domain/contract';
import type { ProposalInput } from '../../domain/refund/state';

const tenantKey = defineSearchAttributeKey('CountersignTenant', SearchAttributeType.KEYWORD);

export function memoryProposalStart(input: ProposalInput) {
  const { tenant, runId: candidateId } = input;
  return {
    workflowId: refundWorkflowId(tenant, candidateId),
    taskQueue: taskQueues.refunds,
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    args: [input],
    typedSearchAttributes: [{ key: tenantKey, value: tenant }],
    staticSummary: `Rule of procedure ${candidateId}`,
    staticDetails: `Proposed to the memory of tenant ${tenant}; what it says stands in the database alone.`,
  };
}

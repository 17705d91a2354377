/** Names that clients, workers and operators share (design: stable). No other file repeats these strings. */
export const taskQueues = { refunds: 'countersign', bulk: 'countersign-bulk' } as const;

export const workflowTypes = {
  refund: 'refund',
  reconcile: 'reconcile',
  erasePerson: 'erasePerson',
  memoryRetention: 'memoryRetention',
  refundBatch: 'refundBatch',
  ingestKnowledge: 'ingestKnowledge',
  agentRun: 'agentRun',
  memoryProposal: 'memoryProposal',
} as const;

export const updateNames = { decide: 'decide', cancel: 'cancel', review: 'review' } as const;
export const signalNames = {
  approval: 'approval',
  cancelRequested: 'cancelRequested',
  reviewOrdered: 'reviewOrdered',
  providerChanged: 'providerChanged',
  batchChanged: 'batchChanged',
  agentWoken: 'agentWoken',
} as const;
export const queryNames = {
  state: 'state',
  approvalRequest: 'approvalRequest',
  approvalState: 'approvalState',
} as const;

/** Search attributes and their Temporal types; registered by `up` and by the compose file. */
export const searchAttributes = {
  CountersignTenant: 'Keyword',
  CountersignPhase: 'Keyword',
  CountersignCustomer: 'Keyword',
  CountersignAmount: 'Int',
  CountersignCurrency: 'Keyword',
  CountersignApproverGroup: 'Keyword',
} as const;

/** Of a refund; a batch and a rule of procedure are decided about in the same way, each under a workflow of its own kind. */
export function refundWorkflowId(tenant: string, runId: string): string {
  if (runId.startsWith('bat_')) return `${workflowTypes.refundBatch}/${tenant}/${runId}`;
  if (runId.startsWith('ing_')) return `${workflowTypes.ingestKnowledge}/${tenant}/${runId}`;
  if (isCandidateId(runId)) return `memory/${tenant}/${runId}`;
  return `refund/${tenant}/${runId}`;
}

export function isCandidateId(id: string): boolean {
  return id.startsWith('mcd_');
}

/** Of a batch or a candidate another one than of a refund, also where the same caller's key names both. */
export function approvalIdOf(runId: string): string {
  if (isCandidateId(runId)) return runId.replace('mcd_', 'apr_mem_');
  return runId.startsWith('run_') ? runId.replace('run_', 'apr_') : `apr_${runId}`;
}

/** Of the workflow that carries on a finished run whose refund failed later: one for each such refund. */
export function reopenedWorkflowId(tenant: string, runId: string, refundId: string): string {
  return `${refundWorkflowId(tenant, runId)}/reopened/${refundId}`;
}

/** Of one reconciliation; Temporal adds the time to it where a schedule starts it. */
export function reconcileWorkflowId(tenant: string, reconciliationId?: string): string {
  return reconciliationId === undefined ? `reconcile/${tenant}` : `reconcile/${tenant}/${reconciliationId}`;
}

export function erasureWorkflowId(tenant: string, erasureId: string): string {
  return `erasePerson/${tenant}/${erasureId}`;
}

/** Temporal adds the time to it where a schedule starts it. */
export function sweepWorkflowId(tenant: string, sweepId?: string): string {
  return sweepId === undefined ? `memoryRetention/${tenant}` : `memoryRetention/${tenant}/${sweepId}`;
}

export function agentRunWorkflowId(tenant: string, runId: string): string {
  return `agent/${tenant}/${runId}`;
}

/** Which kind of run an id is of, as its first letters say. */
export function runKindOf(id: string): 'refund' | 'batch' | 'agent' {
  if (id.startsWith('agr_')) return 'agent';
  return /^(bat|ing)_/.test(id) ? 'batch' : 'refund';
}

/** Of whatever has that id: a refund, a batch or an agent run. */
export function runWorkflowId(tenant: string, id: string): string {
  return runKindOf(id) === 'agent' ? agentRunWorkflowId(tenant, id) : refundWorkflowId(tenant, id);
}

export const finalPhases = ['completed', 'rejected', 'expired', 'cancelled', 'failed'] as const;
export const phases = [
  'validating',
  'waiting_approval',
  'executing',
  'settling',
  'needs_review',
  ...finalPhases,
] as const;

export type Phase = (typeof phases)[number];
export type FinalPhase = (typeof finalPhases)[number];

export function isFinal(phase: Phase): phase is FinalPhase {
  return (finalPhases as readonly string[]).includes(phase);
}

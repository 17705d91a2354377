/**
 * The step table: every side effect of a refund run, in the order of the story, of a reconciliation and of an agent run. The key of an effect is
 * `<runId>:<step>` (R1); it never holds a revision, an attempt, an amount or a time.
 *
 * `runsAs`: `local` steps change our own database only (some read the payment at the provider) and share one
 * workflow task; `activity` steps are for other systems. Money is moved in `issue_refund` alone (activities/issueRefund.ts).
 */
export const steps = {
  open_refund: { runsAs: 'local', file: 'openRefund.ts' },
  take_over: { runsAs: 'local', file: 'takeOver.ts' },
  evaluate_policy: { runsAs: 'local', file: 'evaluatePolicy.ts' },
  publish_approval: { runsAs: 'local', file: 'publishApproval.ts' },
  apply_decision: { runsAs: 'local', file: 'applyDecision.ts' },
  owed_decisions: { runsAs: 'local', file: 'owedDecisions.ts' },
  grant_grace: { runsAs: 'local', file: 'grantGrace.ts' },
  remind: { runsAs: 'local', file: 'remindApprovers.ts' },
  authorize: { runsAs: 'local', file: 'authorizeExecution.ts' },
  issue_refund: { runsAs: 'activity', file: 'issueRefund.ts' },
  confirm_cancel: { runsAs: 'local', file: 'confirmCancel.ts' },
  cancel_unsent: { runsAs: 'local', file: 'cancelUnsent.ts' },
  check_refund: { runsAs: 'activity', file: 'checkRefund.ts' },
  settle: { runsAs: 'local', file: 'settleRefund.ts' },
  flag_for_review: { runsAs: 'local', file: 'flagForReview.ts' },
  notify: { runsAs: 'local', file: 'notifyRequester.ts' },
  remember: { runsAs: 'local', file: 'proposeMemory.ts' },
  archive: { runsAs: 'local', file: 'archiveRun.ts' },
  apply_review: { runsAs: 'local', file: 'applyReview.ts' },
  reverse: { runsAs: 'local', file: 'reverseRefund.ts' },
  hold_again: { runsAs: 'local', file: 'holdAgain.ts' },
  open_reconciliation: { runsAs: 'local', file: 'openReconciliation.ts' },
  reconcile_page: { runsAs: 'activity', file: 'reconcilePage.ts' },
  close_reconciliation: { runsAs: 'local', file: 'closeReconciliation.ts' },
  erase_runs: { runsAs: 'activity', file: 'eraseRuns.ts' },
  erase_records: { runsAs: 'activity', file: 'eraseRecords.ts' },
  prove_erasure: { runsAs: 'activity', file: 'proveErasure.ts' },
  sweep_retention: { runsAs: 'activity', file: 'sweepRetention.ts' },
  check_batch: { runsAs: 'activity', file: 'checkBatch.ts' },
  freeze_manifest: { runsAs: 'activity', file: 'freezeManifest.ts' },
  open_batch: { runsAs: 'activity', file: 'openBatch.ts' },
  admit_batch_items: { runsAs: 'local', file: 'admitBatchItems.ts' },
  ingest_items: { runsAs: 'activity', file: 'ingestItems.ts' },
  close_batch: { runsAs: 'local', file: 'closeBatch.ts' },
  close_sweep: { runsAs: 'local', file: 'closeSweep.ts' },
  open_agent_run: { runsAs: 'local', file: 'openAgentRun.ts' },
  plan_agent_run: { runsAs: 'activity', file: 'planAgentRun.ts' },
  take_agent_step: { runsAs: 'activity', file: 'takeAgentStep.ts' },
  fail_agent_step: { runsAs: 'local', file: 'failAgentStep.ts' },
  open_memory_proposal: { runsAs: 'local', file: 'openMemoryProposal.ts' },
  adopt_memory: { runsAs: 'local', file: 'adoptMemory.ts' },
  close_memory_proposal: { runsAs: 'local', file: 'closeMemoryProposal.ts' },
} as const;

export type Step = keyof typeof steps;

/** The audit row of a cancel that the door has taken. */
export function cancelStep(actor: string): string {
  return `cancel_requested:${actor}`;
}

/** The round of an effect, from its key. */
export function roundOf(key: string): number {
  return Number(key.split(':')[2] ?? 1);
}

/** `round` counts proven failures: a refund that failed after it had succeeded is another effect when it is made again. */
export function effectKey(runId: string, step: Step, round = 1): string {
  return round === 1 ? `${runId}:${step}` : `${runId}:${step}:${round}`;
}

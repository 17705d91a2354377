import type { ApprovalState } from '../../domain/approval/state';
import { hasEnded, type BatchCounts } from '../../domain/batch/batch';
import { summaryView } from '../../domain/batch/manifest';
import type { Batch, BatchItem } from '../../ports/batches';
import type { Brake } from '../../ports/brakes';
import { amountView, iso } from '../viewParts';

export type BatchView = ReturnType<typeof batchView>;
export type ItemView = ReturnType<typeof itemView>;

/** What doors show. `brake`: the kill switch, where it is pulled and holds the rows that are left. */
export function batchView(batch: Batch, counts: BatchCounts, approval?: ApprovalState, brake?: Brake) {
  const { batchId, summary, asked } = batch;
  return {
    batchId,
    kind: batch.kind,
    state: batch.state,
    paused: hasEnded(batch.state) || !batch.paused ? null : { by: batch.paused.by, at: iso(batch.paused.at) },
    cancelledBy: batch.cancelledBy,
    approvalMode: batch.approval,
    dryRun: batch.dryRun,
    requester: batch.requester,
    onBehalfOf: batch.onBehalfOf,
    asked: asked && amountView(asked.amount),
    rows: batch.rows,
    counts: { ...counts },
    version: batch.version,
    manifestHash: batch.manifestHash,
    summary: summary && summaryView(summary),
    approval: approval
      ? {
          id: approval.id,
          status: approval.status,
          votes: approval.votes.length,
          needed: approval.policy.needed,
        }
      : null,
    brake: brake ? { scope: brake.scope, reason: brake.reason, actor: brake.actor, at: iso(brake.at) } : null,
    createdAt: iso(batch.createdAt),
    endedAt: batch.endedAt === null ? null : iso(batch.endedAt),
    links: {
      self: `/v1/batches/${batchId}`,
      items: `/v1/batches/${batchId}/items`,
      result: `/v1/batches/${batchId}/result`,
      timeline: `/v1/batches/${batchId}/timeline`,
      events: `/v1/batches/${batchId}/events`,
    },
  };
}

export function itemView({ amount, ...item }: BatchItem) {
  return { ...item, amount: amount && amountView(amount) };
}

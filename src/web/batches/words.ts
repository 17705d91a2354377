import type { BatchView } from '../../application/batches/views';
import { unfinished, type BatchKind, type BatchState } from '../../domain/batch/batch';

export const kindWords: Readonly<Record<BatchKind, string>> = { refunds: 'Refunds', documents: 'Documents' };

export const batchStateWords: Readonly<Record<BatchState, string>> = {
  checking: 'Being checked',
  waiting_approval: 'Waits for people',
  running: 'Going on',
  validated: 'Checked, nothing runs',
  completed: 'Completed',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

/** Of a batch, with what holds it. */
export function stateText({ state, paused, cancelledBy, endedAt }: BatchView): string {
  if (endedAt === null && cancelledBy !== null) return 'Being cancelled';
  return paused ? `${batchStateWords[state]}, paused` : batchStateWords[state];
}

/** Rows with an outcome, of all of them. */
export function doneRows({ rows, counts }: BatchView): number {
  return Math.max(rows - unfinished(counts), 0);
}

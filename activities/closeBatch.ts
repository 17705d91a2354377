import { close } from '../src/domain/approval/decide';
import { hasEnded, unfinished, type BatchState } from '../src/domain/batch/batch';
import { CountersignError } from '../src/domain/errors';
import type { Dependencies } from './dependencies';

export interface BatchToClose {
  readonly tenant: string;
  readonly batchId: string;
  readonly state: Extract<BatchState, 'completed' | 'rejected' | 'expired' | 'cancelled'>;
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/**
 * The end of a batch, once every row has one: its state, its approval closed, what never started named as left out.
 * Until then it answers how many are still to come, and those of a cancelled batch that wait for people.
 */
export function closeBatch({ store }: Pick<Dependencies, 'store'>) {
  return async ({
    tenant,
    batchId,
    state,
    epoch,
    now,
  }: BatchToClose): Promise<{ state: BatchState; unfinished: number }> =>
    store.inTenant(tenant, async (unit) => {
      const batch = await unit.batches.lock(batchId);
      if (!batch) throw new CountersignError('not_started_here');
      if (hasEnded(batch.state)) return { state: batch.state, unfinished: 0 };
      const to =
        batch.cancelledBy !== null
          ? 'cancelled'
          : batch.dryRun && state === 'completed'
            ? 'validated'
            : state;
      if (to === 'cancelled' || to === 'rejected' || to === 'expired')
        await unit.batchItems.leaveOutRest(
          batchId,
          'batch_cancelled',
          `the batch was ${to} before this row started`,
        );
      const counts = await unit.batches.counts(batchId);
      const still = to === 'validated' ? 0 : unfinished(counts);
      if (still > 0) return { state: batch.state, unfinished: still };
      const stored = await unit.approvals.ofRun(batchId);
      if (stored?.approval.status === 'open') {
        const how = to === 'expired' ? 'expired' : 'cancelled';
        await unit.approvals.save(
          close(stored.approval, how, batch.cancelledBy ?? 'countersign', now),
          epoch,
        );
      }
      await unit.batches.change(batchId, { state: to, ended: true });
      await unit.audit.append({
        runId: batchId,
        actor: batch.cancelledBy ?? 'countersign',
        event: `batch_${to}`,
        step: 'close_batch',
        after: { counts },
      });
      return { state: to, unfinished: 0 };
    });
}

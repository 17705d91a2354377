import { close } from '../src/domain/approval/decide';
import type { RefundResult } from '../src/domain/refund/state';
import type { Dependencies } from './dependencies';

export interface RunToArchive {
  readonly tenant: string;
  readonly runId: string;
  readonly result: RefundResult;
  /** Who ended it, where a person did. */
  readonly endedBy?: string;
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/**
 * The run's last row: final phase and result, its approval closed, and what it still holds given back. Called only
 * when the outcome is certain: an unknown outcome never ends a run (R8, R31).
 */
export function archiveRun({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, result, endedBy, epoch, now }: RunToArchive): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.ofRun(runId);
      if (stored?.approval.status === 'open') {
        const status = result.outcome === 'expired' ? 'expired' : 'cancelled';
        await unit.approvals.save(close(stored.approval, status, endedBy ?? 'countersign', now), epoch);
      }
      if (result.outcome !== 'completed') await unit.ledger.release(runId);
      await unit.runs.change(runId, { phase: result.outcome, result });
      await unit.audit.append({
        runId,
        actor: endedBy ?? 'countersign',
        event: result.outcome,
        step: `archive:${epoch}`,
        after: { outcome: result.outcome, ...(result.amount ? { amount: result.amount } : {}) },
        ...(result.code === undefined ? {} : { reason: result.code }),
        ...(result.refundId === undefined ? {} : { providerId: result.refundId }),
      });
    });
  };
}

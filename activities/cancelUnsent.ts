import { effectKey } from '../src/domain/steps';
import type { Dependencies } from './dependencies';

export interface RunToCancel {
  readonly tenant: string;
  readonly runId: string;
  /** Who cancels. */
  readonly actor: string;
}

/**
 * Takes back a refund that is about to be sent, as long as the call is not on record: the kill switch may hold it for
 * long. Whichever of the two has the run's row first wins; a call that comes later finds nothing held and sends nothing.
 */
export function cancelUnsent({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, actor }: RunToCancel): Promise<{ cancelled: boolean }> =>
    store.inTenant(tenant, async (unit) => {
      await unit.runs.lock(runId);
      if (await unit.effects.find(effectKey(runId, 'issue_refund'))) return { cancelled: false };
      await unit.ledger.release(runId);
      // The truth from here on, also where the workflow forgets that it was asked: its call then finds this.
      const result = { outcome: 'cancelled', code: 'cancelled' } as const;
      await unit.runs.change(runId, { phase: 'cancelled', result });
      await unit.audit.append({
        runId,
        actor,
        event: 'cancelled_unsent',
        step: 'cancel_unsent',
        after: { money: 'freed' },
      });
      return { cancelled: true };
    });
}

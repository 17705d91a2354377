import type { RefundResult } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { Notification } from '../src/ports/store';
import type { Dependencies } from './dependencies';

export interface OutcomeToTell {
  readonly tenant: string;
  readonly runId: string;
  /** Which refund of the run; another one is another outcome to tell. */
  readonly round: number;
  readonly recipient: string | null;
  readonly result: RefundResult;
}

const template = {
  completed: 'refund_completed',
  rejected: 'refund_rejected',
  expired: 'refund_expired',
  cancelled: 'refund_cancelled',
  failed: 'refund_failed',
} as const satisfies Record<RefundResult['outcome'], Notification['template']>;

/** Tells the true outcome once: one row per run, which the notification channels send on (R19). */
export function notifyRequester({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, round, recipient, result }: OutcomeToTell): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      const told = await unit.notifications.tell({
        key: effectKey(runId, 'notify', round),
        runId,
        recipient,
        template: template[result.outcome],
        data: { amount: result.amount ?? null, code: result.code ?? null },
      });
      if (!told) return;
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'notified',
        step: effectKey('', 'notify', round).slice(1),
        after: { outcome: result.outcome },
      });
    });
  };
}

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

/** To whoever waits for the money a refund that failed later is a refund that failed. */
function saysTheSame(
  told: Notification['template'] | undefined,
  template: Notification['template'],
): boolean {
  return told === template || (told === 'refund_failed_later' && template === 'refund_failed');
}

/**
 * Tells the true outcome once: one row, which the notification channels send on. Only a run that came to another end
 * after a reset tells again, since what was told is true no more (R19).
 */
export function notifyRequester({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, round, recipient, result }: OutcomeToTell): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      const key = effectKey(runId, 'notify', round);
      const notification = {
        runId,
        recipient,
        template: template[result.outcome],
        data: { amount: result.amount ?? null, code: result.code ?? null },
      };
      const first = await unit.notifications.tell({ key, ...notification });
      const corrected =
        !first &&
        !saysTheSame(await unit.notifications.lastTold(runId, recipient), notification.template) &&
        (await unit.notifications.tell({ key: `${key}:${result.outcome}`, ...notification }));
      if (!first && !corrected) return;
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'notified',
        step: `${effectKey('', 'notify', round).slice(1)}${corrected ? `:${result.outcome}` : ''}`,
        after: { outcome: result.outcome },
      });
    });
  };
}

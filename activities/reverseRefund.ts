import { effectKey } from '../src/domain/steps';
import type { Dependencies } from './dependencies';

export interface RefundToReverse {
  readonly tenant: string;
  readonly runId: string;
  /** The provider's refund that failed after it had succeeded. */
  readonly refundId: string;
  /** Which refund of this run that was. */
  readonly round: number;
}

/** The money came back: the balance has it again, and the requester is told once (R17). */
export function reverseRefund({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, refundId, round }: RefundToReverse): Promise<void> => {
    const key = effectKey(runId, 'issue_refund', round);
    await store.inTenant(tenant, async (unit) => {
      const run = await unit.runs.find(runId);
      await unit.effects.recordReversal(key);
      if (run?.money === 'paid') await unit.ledger.reverse(runId);
      await unit.notifications.tell({
        key: `${effectKey(runId, 'notify')}:reversed:${refundId}`,
        runId,
        recipient: run?.requester ?? null,
        template: 'refund_failed_later',
        data: { refundId, amount: run?.amount ?? null },
      });
      await unit.audit.append({
        runId,
        actor: 'provider',
        event: 'refund_failed_later',
        step: `reverse:${refundId}`,
        before: { money: 'paid' },
        after: { money: 'freed' },
        effectKey: key,
        providerId: refundId,
      });
    });
  };
}

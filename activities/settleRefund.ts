import type { RefundArguments } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { ProviderRefund } from '../src/ports/payments';
import type { Dependencies } from './dependencies';

export interface RefundToSettle {
  readonly tenant: string;
  readonly runId: string;
  readonly refund: ProviderRefund;
  readonly arguments: RefundArguments;
}

export type Settlement = 'paid' | 'pending' | 'failed';

/** Moves the held amount to where the provider's answer says it is; pending is neither success nor failure (R16). */
export function settleRefund({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, refund, arguments: args }: RefundToSettle): Promise<Settlement> => {
    const key = effectKey(runId, 'issue_refund');
    const settlement = settlementOf(refund);
    await store.inTenant(tenant, async (unit) => {
      await unit.effects.recordRefund(key, refund);
      if (settlement === 'paid') await unit.ledger.markPaid(runId);
      if (settlement === 'failed') await unit.ledger.release(runId);
      await unit.runs.change(runId, {
        phase: 'settling',
        ...(settlement === 'paid' ? { executed: { ...args, amount: refund.amount } } : {}),
      });
      await unit.audit.append({
        runId,
        actor: 'provider',
        event: `refund_${refund.status}`,
        step: `settle:${refund.status}`,
        after: { amount: refund.amount },
        effectKey: key,
        providerId: refund.id,
        ...(refund.failureReason === undefined ? {} : { reason: refund.failureReason }),
      });
    });
    return settlement;
  };
}

function settlementOf({ status }: ProviderRefund): Settlement {
  switch (status) {
    case 'succeeded':
      return 'paid';
    case 'pending':
    case 'requires_action':
      return 'pending';
    case 'failed':
    case 'canceled':
      return 'failed';
  }
}

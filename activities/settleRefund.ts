import { isFinal } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { RefundArguments } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { ProviderRefund } from '../src/ports/payments';
import type { Dependencies } from './dependencies';

export interface RefundToSettle {
  readonly tenant: string;
  readonly runId: string;
  readonly round: number;
  readonly paymentId: string;
  readonly refund: ProviderRefund;
  readonly arguments: RefundArguments;
}

export type Settlement = 'paid' | 'pending' | 'failed';

/** Moves the held amount to where the provider's answer says it is; pending is neither success nor failure (R16). */
export function settleRefund({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async ({
    tenant,
    runId,
    round,
    paymentId,
    refund,
    arguments: args,
  }: RefundToSettle): Promise<Settlement> => {
    const key = effectKey(runId, 'issue_refund', round);
    const settlement = settlementOf(refund);
    // Made by hand at the provider and named by a person: the provider's own record counts it already.
    const byHand =
      refund.runId === undefined ? await payments.loadPayment(paymentId, 4_000).catch(later) : undefined;
    await store.inTenant(tenant, async (unit) => {
      await unit.effects.recordRefund(key, runId, refund);
      if (settlement === 'paid' && byHand) {
        await unit.ledger.release(runId);
        await unit.ledger.adopt(byHand);
      } else if (settlement === 'paid') {
        await unit.ledger.markPaid(runId);
      }
      if (settlement === 'failed') await unit.ledger.release(runId);
      // Done once more after the end (its workflow task was lost), it does not open the run again.
      const run = await unit.runs.find(runId);
      await unit.runs.change(runId, {
        ...(run && isFinal(run.phase) ? {} : { phase: 'settling' as const }),
        ...(settlement === 'paid' ? { executed: { ...args, amount: refund.amount } } : {}),
      });
      await unit.audit.append({
        runId,
        actor: 'provider',
        event: `refund_${refund.status}`,
        step: `settle:${refund.id}:${refund.status}`,
        after: { amount: refund.amount },
        effectKey: key,
        providerId: refund.id,
        ...(refund.failureReason === undefined ? {} : { reason: refund.failureReason }),
      });
    });
    return settlement;
  };
}

/** Money has moved: nothing that the provider says now may end the run, so it is asked again. */
function later(): never {
  throw new CountersignError('dependency_unavailable', 'the provider does not show the payment');
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

import type Stripe from 'stripe';
import type { Money } from '../../domain/money/money';
import { fromProviderAmount } from '../../domain/money/providerAmounts';
import { hasFailed } from '../../domain/refund/providerRefund';
import type { ProviderRefund } from '../../ports/payments';
import { unreadableAnswer } from './failureTable';

/** Our run in the refund's metadata: how a refund is known to be ours (R15). */
export const runIdKey = 'countersign_run_id';
/** The key of the effect: which refund of that run it is. */
export const effectKeyKey = 'countersign_key';

/** Those that are not ours and took money, in the provider's own units. */
export function refundedElsewhere(refunds: readonly Stripe.Refund[]): number {
  return refunds
    .filter(({ metadata }) => metadata?.[runIdKey] === undefined)
    .filter(({ status }) => !hasFailed(status))
    .reduce((sum, { amount }) => sum + amount, 0);
}

/** @throws CountersignError provider_unknown: a refund that can't be read is there all the same */
export function refundOf(refund: Stripe.Refund): ProviderRefund {
  const runId = refund.metadata?.[runIdKey];
  const key = refund.metadata?.[effectKeyKey];
  return {
    id: refund.id,
    paymentId: chargeIdOf(refund),
    status: (refund.status ?? 'pending') as ProviderRefund['status'],
    amount: amountOf(refund),
    createdAt: refund.created * 1000,
    ...(runId === undefined ? {} : { runId }),
    ...(key === undefined ? {} : { key }),
    ...(refund.failure_reason === undefined ? {} : { failureReason: refund.failure_reason }),
  };
}

function amountOf({ amount, currency }: Stripe.Refund): Money {
  try {
    return fromProviderAmount(amount, currency.toUpperCase());
  } catch {
    throw unreadableAnswer();
  }
}

export function chargeIdOf({ charge }: Stripe.Refund): string {
  return charge === null ? '' : idOf(charge);
}

export function linksOf({ customer, payment_intent: intent }: Stripe.Charge): {
  customer?: string;
  intent?: string;
} {
  return {
    ...(customer === null ? {} : { customer: idOf(customer) }),
    ...(intent === null ? {} : { intent: idOf(intent) }),
  };
}

export function idOf(of: { id: string } | string): string {
  return typeof of === 'string' ? of : of.id;
}

import type Stripe from 'stripe';
import type { Money } from '../../domain/money/money';
import { fromProviderAmount } from '../../domain/money/providerAmounts';
import { hasFailed } from '../../domain/refund/providerRefund';
import type { ProviderPayment, ProviderRefund } from '../../ports/payments';
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

/** Those that say that they are ours and took money. Anybody at the provider can write that. */
export function markedOurs(refunds: readonly Stripe.Refund[]): Stripe.Refund[] {
  return refunds.filter(({ metadata, status }) => metadata?.[runIdKey] !== undefined && !hasFailed(status));
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

/**
 * Stripe's kinds of payment methods by where their refunds go, as of 2026-11: back, or to a bank account that the
 * customer names, or to his balance. Of a kind that is in neither list nothing is said.
 */
const refundedToOtherMethod: readonly string[] = ['customer_balance', 'konbini', 'multibanco'];
const refundedToSameMethod: readonly string[] = [
  ...[
    'card',
    'card_present',
    'link',
    'paypal',
    'cashapp',
    'amazon_pay',
    'revolut_pay',
    'alipay',
    'wechat_pay',
  ],
  ...[
    'klarna',
    'affirm',
    'afterpay_clearpay',
    'us_bank_account',
    'acss_debit',
    'bacs_debit',
    'au_becs_debit',
  ],
  ...['sepa_debit', 'ideal', 'bancontact', 'eps', 'twint'],
];

/** Whose payment it is, how it was made, and where its refunds go. */
export function linksOf({
  customer,
  payment_intent: intent,
  payment_method_details: details,
}: Stripe.Charge): Pick<ProviderPayment, 'customer' | 'intent' | 'refundedTo'> {
  const paidWith = details?.type ?? '';
  return {
    ...(refundedToSameMethod.includes(paidWith) ? { refundedTo: 'same_method' as const } : {}),
    ...(refundedToOtherMethod.includes(paidWith) ? { refundedTo: 'other_method' as const } : {}),
    ...(customer === null ? {} : { customer: idOf(customer) }),
    ...(intent === null ? {} : { intent: idOf(intent) }),
  };
}

export function idOf(of: { id: string } | string): string {
  return typeof of === 'string' ? of : of.id;
}

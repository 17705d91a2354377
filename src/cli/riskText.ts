import type { Approval } from '../client';
import { amountText } from './amountText';

/** The past of the payment and the customer, line by line; a fact that nobody knows is said to be unknown. */
export function riskLines({ risk }: Approval['facts']): [string, string][] {
  if (!risk) return [];
  const { payment, customer, toOtherMethod } = risk;
  const disputed = Number(payment.disputed.value) > 0 ? `; ${amountText(payment.disputed)} disputed` : '';
  return [
    [
      'payment so far',
      `${before(payment.refunds, payment.refunded, payment.rejections)}; paid ${payment.ageHours} h ago${disputed}`,
    ],
    [
      'customer so far',
      customer
        ? `${before(customer.refunds, customer.refunded, customer.rejections)}; asked for in the last hour ${customer.lastHour}, day ${customer.lastDay}, 30 days ${customer.last30Days}`
        : 'unknown',
    ],
    ...(toOtherMethod === null
      ? [['paid back to', 'unknown'] satisfies [string, string]]
      : toOtherMethod
        ? [['paid back to', 'another method than it was paid with'] satisfies [string, string]]
        : []),
  ];
}

function before(refunds: number, refunded: Parameters<typeof amountText>[0], rejections: number): string {
  const count = refunds === 1 ? '1 other refund' : `${refunds} other refunds`;
  return `${count}, ${amountText(refunded)}; ${rejections} rejected`;
}

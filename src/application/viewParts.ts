import { formatAmount } from '../domain/money/decimal';
import type { Money } from '../domain/money/money';
import type { RefundArguments } from '../domain/refund/state';

export function argumentsView({ amount, reason }: RefundArguments) {
  return { amount: amountView(amount), reason };
}

export function amountView(amount: Money): { value: string; currency: string } {
  return { value: formatAmount(amount), currency: amount.currency };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

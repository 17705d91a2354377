import type { RefundRequest } from '../client';
import { UsageError } from './failure';

/** `sku-1=1/3@10.00`. @throws UsageError */
export function lineOf(text: string, currency: string): NonNullable<RefundRequest['lines']>[number] {
  const [, lineId = '', units, bought, value = ''] = /^(.+)=([0-9]+)\/([0-9]+)@(.+)$/.exec(text) ?? [];
  if (lineId === '')
    throw new UsageError(`--line ${text}: <line>=<units>/<bought>@<total>, such as sku-1=1/3@10.00`);
  return { lineId, quantity: Number(units), of: { quantity: Number(bought), amount: { value, currency } } };
}

/** `4.90`, or a part of it: `2.00/4.90`. What is not of its form is refused by the API. */
export function shippingOf(text: string, currency: string): NonNullable<RefundRequest['shipping']> {
  const [first = '', total] = text.split('/');
  return total === undefined
    ? { of: { value: first, currency } }
    : { of: { value: total, currency }, amount: { value: first, currency } };
}

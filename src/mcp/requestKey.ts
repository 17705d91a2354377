import { createHash } from 'node:crypto';
import type { RefundBody } from '../domain/refund/request';

/**
 * The key of a refund for an agent that names none: of what would be paid back, and not of how it is worded. An agent
 * that tries again, in this process or another, so names the same refund; with other words it is refused as a conflict,
 * and with the same it gets the run that it began. A second refund of the same things takes a key of its own.
 */
export function derivedRequestKey({ paymentId, amount, orderId, lines, shipping }: RefundBody): string {
  // `49` and `49.00` are the same money; what is not an amount at all is refused later, whatever its key.
  const value = amount.value.includes('.') ? amount.value.replace(/\.?0+$/, '') : amount.value;
  const paidBack = [
    paymentId,
    value,
    amount.currency,
    orderId ?? null,
    lines?.map(({ lineId, quantity }) => [lineId, quantity]) ?? null,
    shipping !== undefined,
  ];
  return `mcp-${createHash('sha256').update(JSON.stringify(paidBack)).digest('hex').slice(0, 40)}`;
}

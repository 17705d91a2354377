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
  return keyOf(paidBack);
}

/**
 * The key of an agent run for an agent that names none: of the conversation that it is about, or of the goal where there is
 * none. A second run about the same conversation takes a key of its own, since it would propose the same refund again.
 */
export function derivedRunKey({
  goal,
  threadId,
  ownerId,
}: {
  readonly goal: string;
  readonly threadId?: string | undefined;
  readonly ownerId?: string | undefined;
}): string {
  return keyOf(['agent run', threadId ?? goal.trim(), threadId === undefined, ownerId ?? null]);
}

function keyOf(parts: readonly unknown[]): string {
  return `mcp-${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

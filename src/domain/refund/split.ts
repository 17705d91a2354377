import { z } from 'zod';
import { isFinal, type Phase } from '../contract';
import { CountersignError } from '../errors';
import { allocate } from '../money/allocate';
import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { providerStep } from '../money/providerAmounts';
import { externalId, paymentId, refundBody } from './request';

/** `proportional`: by what each payment had captured. `in_order`: the first as far as it goes, then the next. */
export const allocations = ['proportional', 'in_order'] as const;
export type Allocation = (typeof allocations)[number];

const withoutPayment = refundBody.omit({ paymentId: true, lines: true, shipping: true });

/** The body of `POST /v1/refunds/split`: one refund of an order over several of its payments. */
export const splitBody = withoutPayment.extend({
  orderId: externalId,
  payments: z.array(z.strictObject({ paymentId })).min(1).max(20),
  allocation: z.enum(allocations).default('proportional'),
});
export type SplitBody = z.infer<typeof splitBody>;
/** As a caller sends it. */
export type SplitInput = z.input<typeof splitBody>;

export const splitStates = ['in_progress', 'completed', 'partly_completed', 'not_completed'] as const;
export type SplitState = (typeof splitStates)[number];

/** How far the parts of a split have come; each is a refund of its own, decided and paid for itself. */
export function splitState(parts: readonly Phase[]): SplitState {
  if (!parts.every(isFinal)) return 'in_progress';
  const completed = parts.filter((phase) => phase === 'completed').length;
  if (completed === parts.length) return 'completed';
  return completed > 0 ? 'partly_completed' : 'not_completed';
}

/** What one payment can give, minor units. */
export interface SplitPayment {
  readonly captured: number;
  readonly remaining: number;
}

/**
 * Exact parts of an amount, one for each payment, none more than remains of it: they sum to the amount (R11).
 * Proportional parts are by largest remainder; what a payment can't bear goes to the others, in the same proportion.
 * Every part is one that the provider can move, which the amount has to be as well.
 * @throws CountersignError exceeds_remaining
 */
export function splitOver(amount: Money, payments: readonly SplitPayment[], allocation: Allocation): Money[] {
  const { currency } = amount;
  const step = providerStep(currency);
  const caps = payments.map(({ remaining }) => Math.max(Math.floor(remaining / step), 0));
  const steps = amount.minor / step;
  const most = caps.reduce((all, cap) => all + cap, 0);
  if (steps > most) {
    const remaining = most * step;
    const text = `${formatAmount({ minor: remaining, currency })} ${currency}`;
    throw new CountersignError('exceeds_remaining', `${text} remain of these payments together`, {
      requested: amount.minor,
      remaining,
      currency,
    });
  }
  const parts =
    allocation === 'in_order'
      ? inOrder(steps, caps)
      : proportional(
          { minor: steps, currency },
          payments.map(({ captured }) => captured),
          caps,
        );
  return parts.map((part) => ({ minor: part * step, currency }));
}

function inOrder(total: number, caps: readonly number[]): number[] {
  let left = total;
  return caps.map((cap) => {
    const part = Math.min(cap, left);
    left -= part;
    return part;
  });
}

/** Whoever would get more than he can bear gets just that, and the rest is shared anew, until all can bear theirs. */
function proportional(total: Money, weights: readonly number[], caps: readonly number[]): number[] {
  const full = new Set<number>();
  for (;;) {
    const given = caps.reduce((all, cap, index) => all + (full.has(index) ? cap : 0), 0);
    const left = { ...total, minor: total.minor - given };
    const open = weights.map((weight, index) => (full.has(index) ? 0 : weight));
    const shares = left.minor === 0 ? open.map(() => ({ minor: 0 })) : allocate(left, open);
    const over = shares.flatMap(({ minor }, index) => (minor > (caps[index] ?? 0) ? [index] : []));
    if (over.length === 0)
      return shares.map(({ minor }, index) => (full.has(index) ? (caps[index] ?? 0) : minor));
    for (const index of over) full.add(index);
  }
}

import { z } from 'zod';
import { isSameIdentity } from '../access/identity';
import { CountersignError } from '../errors';
import { formatAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { refundBody, type RefundBody, type RefundRequest } from '../refund/request';
import { pastPoint } from './points';
import type { PastState } from './states';

const { paymentId: _samePayment, ...inputs } = refundBody.shape;

/**
 * What is to be otherwise than in the run that it is forked from; `null` leaves out what that one had. The payment is
 * the same: of another payment it would be another refund.
 */
export const forkBody = z.strictObject({
  ...z.strictObject(inputs).partial().shape,
  lines: inputs.lines.nullable(),
  shipping: inputs.shipping.nullable(),
  threadId: inputs.threadId.nullable(),
  /** Without it, as the run is now. */
  at: pastPoint.optional(),
});
export type ForkBody = z.infer<typeof forkBody>;

/** The run that is forked from, as far as its past matters to what is asked anew. */
interface Origin {
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly request: RefundRequest;
  readonly note: string | null;
}

/**
 * The request of a fork: what the run asked for at that point, with the changes. Whoever forks asks anew, so for whom
 * the old requester spoke is not taken over.
 * @throws CountersignError invalid_request where the point has no amount on record
 */
export function forkedBody(
  { request, note }: Origin,
  at: PastState,
  { at: _point, ...changes }: ForkBody,
): RefundBody {
  const amount = at.amount ?? request.amount;
  const { lines, shipping } = request;
  const body = {
    paymentId: request.paymentId,
    amount: amountBody(amount),
    reason: at.reason ?? request.reason,
    customerId: request.customerId,
    orderId: request.orderId,
    threadId: request.threadId,
    lines: lines?.map(({ lineId, quantity, of, amount: share }) => ({
      ...{ lineId, quantity, of: { quantity: of.quantity, amount: amountBody(of.amount) } },
      ...(share ? { amount: amountBody(share) } : {}),
    })),
    shipping: shipping && { of: amountBody(shipping.of), amount: amountBody(shipping.amount) },
    note: note ?? undefined,
    evidence: request.evidence,
    ...changes,
  };
  const given = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  const parsed = refundBody.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new CountersignError('invalid_request', 'what that run asked for can not be asked for today', {
    issues: parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })),
  });
}

/**
 * Who has asked for this money before: they count as asking for the fork too, so none of them approves it (R23). The
 * editor whose amount is taken over as it was is one of them.
 */
export function askedBefore(
  { requester, onBehalfOf, request }: Origin,
  { amount, amountBy }: PastState,
  proposed: Money,
): string[] {
  const takenOver = amount?.minor === proposed.minor;
  const ids = [requester, onBehalfOf, ...(request.askedBy ?? []), takenOver ? amountBy : null];
  return ids
    .filter((id): id is string => id !== null)
    .filter((id, index, all) => all.findIndex((other) => isSameIdentity(other, id)) === index);
}

function amountBody(amount: Money): { value: string; currency: string } {
  return { value: formatAmount(amount), currency: amount.currency };
}

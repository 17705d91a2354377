import { z } from 'zod';
import { CountersignError } from '../errors';
import { parseAmount } from '../money/decimal';
import type { Money } from '../money/money';
import type { RefundLine, RefundShipping } from './lines';

/** Reasons: the first three are the provider's own words, the rest ours, mapped at the adapter. */
export const refundReasons = [
  'duplicate',
  'fraudulent',
  'requested_by_customer',
  'damaged',
  'not_received',
  'not_as_described',
  'goodwill',
] as const;
export type RefundReason = (typeof refundReasons)[number];

/** An id of somebody else's system: visible ASCII without spaces. */
export const externalId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-~]+$/, 'letters, digits and signs without spaces');

/** Free text that PostgreSQL can keep: no NUL, no half of a character. */
export const freeText = z
  .string()
  .refine(
    (text) => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text),
    'whole characters, without NUL',
  );

/** `value`: decimal string in major units with at most the currency's decimals, for example "49.00". */
export const amountBody = z.strictObject({
  // What is wrong with an amount has codes of its own, so the patterns only tell (R10).
  value: z
    .string()
    .max(64)
    .meta({ pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$', examples: ['49.00'] }),
  currency: z
    .string()
    .max(8)
    .meta({ pattern: '^[A-Z]{3}$', examples: ['USD'] }),
});

const evidenceItem = z.union([
  freeText.min(1).max(500),
  z.strictObject({
    label: freeText.min(1).max(200),
    url: z
      .url({ protocol: /^https?$/ })
      .max(1000)
      .optional(),
    text: freeText.max(1000).optional(),
  }),
]);

export const paymentId = z
  .string()
  .max(128)
  .regex(/^(ch|pi|py)_[!-~]*$/, 'a payment id such as ch_… or pi_…');

const units = z.int().min(1).max(100_000);

/** `of` is the line as it was bought: all units, and what they cost together, taxes included. */
const lineBody = z.strictObject({
  lineId: externalId,
  quantity: units,
  of: z.strictObject({ quantity: units, amount: amountBody }),
  /** The share of these units, for a caller who wants his own figure checked. */
  amount: amountBody.optional(),
});

/** Without `amount`, all of it. */
const shippingBody = z.strictObject({ of: amountBody, amount: amountBody.optional() });

/** The human behind a service or agent, in any spelling of his id. */
export const onBehalfOf = freeText.min(1).max(128);

export const cancelBody = z.strictObject({ onBehalfOf: onBehalfOf.optional() });
export type CancelBody = z.infer<typeof cancelBody>;

export const refundBody = z.strictObject({
  paymentId,
  amount: amountBody,
  reason: z.enum(refundReasons),
  customerId: externalId.optional(),
  orderId: externalId.optional(),
  threadId: externalId.optional(),
  onBehalfOf: onBehalfOf.optional(),
  /** Counted under `orderId`, over all refunds of that order. */
  lines: z.array(lineBody).min(1).max(200).optional(),
  shipping: shippingBody.optional(),
  note: freeText.max(2000).optional(),
  evidence: z.array(evidenceItem).max(20).optional(),
});
export type RefundBody = z.infer<typeof refundBody>;

/** A run, and the number of one of its events. */
export interface ForkedFrom {
  readonly runId: string;
  readonly seq: number;
}

/** What a refund request says once parsed; `amount` in minor units. Free text stays out of workflow payloads. */
export interface RefundRequest {
  readonly paymentId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
  readonly customerId?: string;
  readonly orderId?: string;
  readonly threadId?: string;
  readonly onBehalfOf?: string;
  readonly lines?: readonly RefundLine[];
  readonly shipping?: RefundShipping;
  readonly evidence?: RefundBody['evidence'];
  /** The run, and the event of it, that this one was forked from. */
  readonly forkedFrom?: ForkedFrom;
  /** Who had asked for the money there: they count as asking here too. */
  readonly askedBy?: readonly string[];
}

/**
 * Normalizes a body that fits `refundBody`: 49.0 becomes 49.00.
 * @throws CountersignError amount_*, currency_* (R10), invalid_request for lines that can't be
 */
export function parseRefundRequest(body: RefundBody): RefundRequest {
  const amount = parseMoney(body.amount);
  const { note: _note, lines, shipping, amount: _amount, ...rest } = body;
  const request = { ...rest, amount } as RefundRequest;
  if (!lines && !shipping) return request;
  if (body.orderId === undefined) throw invalid('orderId', 'lines and shipping are counted under an order');
  return {
    ...request,
    ...(lines ? { lines: parseLines(lines, amount.currency) } : {}),
    ...(shipping ? { shipping: parseShipping(shipping, amount.currency) } : {}),
  };
}

function parseLines(lines: NonNullable<RefundBody['lines']>, currency: string): RefundLine[] {
  const seen = new Set<string>();
  return lines.map(({ lineId, quantity, of, amount }, index) => {
    const path = `lines.${index}`;
    if (seen.has(lineId)) throw invalid(`${path}.lineId`, 'a line is named once');
    seen.add(lineId);
    if (quantity > of.quantity) throw invalid(`${path}.quantity`, `only ${of.quantity} were bought`);
    return {
      lineId,
      quantity,
      of: { quantity: of.quantity, amount: inCurrency(of.amount, currency, `${path}.of`) },
      ...(amount ? { amount: inCurrency(amount, currency, path) } : {}),
    };
  });
}

function parseShipping(shipping: NonNullable<RefundBody['shipping']>, currency: string): RefundShipping {
  const of = inCurrency(shipping.of, currency, 'shipping.of');
  const amount = shipping.amount ? inCurrency(shipping.amount, currency, 'shipping.amount') : of;
  if (amount.minor > of.minor) throw invalid('shipping.amount', 'more than the shipping had cost');
  return { of, amount };
}

function inCurrency(body: z.infer<typeof amountBody>, currency: string, path: string): Money {
  const amount = parseMoney(body);
  if (amount.currency === currency) return amount;
  throw new CountersignError(
    'currency_mismatch',
    `${path}: it is in ${amount.currency}, the refund in ${currency}`,
  );
}

function parseMoney({ value, currency }: z.infer<typeof amountBody>): Money {
  return parseAmount(value, currency, { allowWithdrawn: true });
}

function invalid(path: string, message: string): CountersignError {
  return new CountersignError('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
}

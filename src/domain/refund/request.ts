import { z } from 'zod';
import { CountersignError } from '../errors';
import { parseAmount } from '../money/decimal';
import type { Money } from '../money/money';

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
  value: z.string().max(64),
  currency: z.string().max(8),
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

export const refundBody = z.strictObject({
  paymentId: externalId.regex(/^(ch|pi|py)_/, 'a payment id such as ch_… or pi_…'),
  amount: amountBody,
  reason: z.enum(refundReasons),
  customerId: externalId.optional(),
  orderId: externalId.optional(),
  threadId: externalId.optional(),
  /** The human behind a service or agent, in any spelling of his id. */
  onBehalfOf: freeText.min(1).max(128).optional(),
  lines: z
    .array(
      z.strictObject({
        id: externalId,
        quantity: z.int().min(1).max(100_000),
        amount: amountBody.optional(),
      }),
    )
    .min(1)
    .max(200)
    .optional(),
  note: freeText.max(2000).optional(),
  evidence: z.array(evidenceItem).max(20).optional(),
});
export type RefundBody = z.infer<typeof refundBody>;

/** What a refund request says once parsed; `amount` in minor units. Free text stays out of workflow payloads. */
export interface RefundRequest {
  readonly paymentId: string;
  readonly amount: Money;
  readonly reason: RefundReason;
  readonly customerId?: string;
  readonly orderId?: string;
  readonly threadId?: string;
  readonly onBehalfOf?: string;
  readonly lines?: readonly { readonly id: string; readonly quantity: number; readonly amount?: Money }[];
  readonly evidence?: RefundBody['evidence'];
}

/**
 * Normalizes a body that fits `refundBody`: 49.0 becomes 49.00.
 * @throws CountersignError amount_* or currency_* (R10)
 */
export function parseRefundRequest(body: RefundBody): RefundRequest {
  const amount = parseAmount(body.amount.value, body.amount.currency, { allowWithdrawn: true });
  const { note: _note, lines, amount: _amount, ...rest } = body;
  const request = { ...rest, amount } as RefundRequest;
  if (!lines) return request;
  const parsed = lines.map(({ amount: lineAmount, ...line }) =>
    lineAmount === undefined
      ? line
      : { ...line, amount: parseAmount(lineAmount.value, lineAmount.currency, { allowWithdrawn: true }) },
  );
  checkLines(parsed, amount);
  return { ...request, lines: parsed };
}

function checkLines(lines: NonNullable<RefundRequest['lines']>, total: Money): void {
  let sum = 0;
  for (const [index, line] of lines.entries()) {
    if (!line.amount) return;
    if (line.amount.currency !== total.currency) {
      throw new CountersignError(
        'currency_mismatch',
        `lines.${index}: it is in ${line.amount.currency}, the refund in ${total.currency}`,
      );
    }
    sum += line.amount.minor;
  }
  if (sum !== total.minor) {
    throw new CountersignError('invalid_request', 'the lines do not add up to the amount', {
      issues: [
        { path: 'lines', message: `the lines add up to ${sum} minor units, the amount is ${total.minor}` },
      ],
    });
  }
}

import { z } from 'zod';
import { CountersignError } from '../errors';
import { claimsAuthority } from '../memory/authority';
import { amountBody, externalId, freeText, paymentId, refundReasons } from '../refund/request';

/** Fraud is a person's claim about the holder of a card, which no proposer makes by itself. */
export const draftReasons = refundReasons.filter((reason) => reason !== 'fraudulent');

/** What a proposer says should be refunded, before any door has looked at it. */
export const refundDraft = z.strictObject({
  paymentId,
  amount: amountBody,
  reason: z.enum(draftReasons as [(typeof draftReasons)[number], ...typeof draftReasons]),
  /** Why, in a few plain sentences for whoever reviews it. */
  explanation: freeText.min(1).max(600),
  /** Passages (`knowledge:…`) and memories (`mem_…`) that it rests on. */
  cites: z.array(externalId).max(10),
});
export type RefundDraft = z.infer<typeof refundDraft>;

/** Something that a draft may cite: a passage of a document or a memory, as it was found. */
export interface Citable {
  readonly id: string;
  readonly label: string;
  readonly text: string;
}

/** What a draft is made from, and what it may speak of. Amounts in major units. */
export interface DraftInput {
  readonly runId: string;
  readonly goal: string;
  /** What the customer said, oldest first. */
  readonly said: readonly string[];
  readonly payment: {
    readonly paymentId: string;
    readonly remaining: { readonly value: string; readonly currency: string };
  };
  readonly passages: readonly Citable[];
  readonly memories: readonly Citable[];
}

/**
 * Whether a draft keeps to what was looked up. It proposes about one payment, cites what was found, and claims nothing
 * about who has agreed; everything else about it is for the door to judge.
 * @throws CountersignError model_overreached (details: field)
 */
export function checkDraft(draft: RefundDraft, { payment, passages, memories }: DraftInput): RefundDraft {
  if (draft.paymentId !== payment.paymentId) throw overreached('paymentId', 'it names another payment');
  if (draft.amount.currency !== payment.remaining.currency)
    throw overreached('amount', 'it is in another currency than the payment');
  const known = new Set([...passages, ...memories].map(({ id }) => id));
  if (draft.cites.some((id) => !known.has(id))) throw overreached('cites', 'it cites what was not found');
  if (claimsAuthority('', draft.explanation))
    throw overreached('explanation', 'it claims that somebody has agreed, or that nobody has to');
  return { ...draft, cites: [...new Set(draft.cites)] };
}

function overreached(field: string, why: string): CountersignError {
  return new CountersignError('model_overreached', `the draft's ${field}: ${why}`, { field });
}

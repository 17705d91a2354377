import { CountersignError } from '../errors';
import { formatAmount, parseAmount } from '../money/decimal';
import { refundDraft, type Citable, type DraftInput, type RefundDraft } from './draft';
import { readWish, type Wish, type WishReason } from './wish';

/** As the handbook's headings say it; a search that goes by words finds passages by these. */
export const words: Readonly<Record<WishReason, string>> = {
  duplicate: 'duplicate',
  requested_by_customer: 'requested by the customer',
  damaged: 'damaged',
  not_received: 'not received',
  not_as_described: 'not as described',
  goodwill: 'goodwill',
};

/**
 * A draft by rules that anybody can read: the amount that the customer names, or all that remains where goods are broken,
 * missing or paid twice or he asks for everything; never more than remains. What is remembered is cited, and changes
 * neither amount nor reason (R45).
 * @throws CountersignError agent_needs_input where no amount can be read
 */
export function draftByRules(input: DraftInput): RefundDraft {
  const wish = readWish([input.goal, ...input.said]);
  const { paymentId, remaining } = input.payment;
  const amount = amountOf(wish, remaining);
  const policy = passageFor(wish.reason, input.passages);
  const explanation = [
    `The customer asks for ${amount.value} ${amount.currency} of ${remaining.value} ${remaining.currency} that remain; reason: ${words[wish.reason]}.`,
    ...(policy ? [`The handbook speaks of it under "${policy.label}".`] : []),
    ...(input.memories.length > 0
      ? [`Remembered of this customer: ${input.memories.length}, cited for whoever reviews it.`]
      : []),
  ].join(' ');
  return refundDraft.parse({
    paymentId,
    amount,
    reason: wish.reason,
    explanation,
    cites: [...(policy ? [policy.id] : []), ...input.memories.map(({ id }) => id)].slice(0, 10),
  });
}

function amountOf(wish: Wish, remaining: DraftInput['payment']['remaining']): RefundDraft['amount'] {
  const named = wish.amount(remaining.currency);
  const whole = wish.everything || ['damaged', 'not_received', 'duplicate'].includes(wish.reason);
  if (!named && !whole)
    throw new CountersignError(
      'agent_needs_input',
      'the conversation names no amount, and does not ask for all of it',
    );
  const most = parseAmount(remaining.value, remaining.currency, { allowWithdrawn: true });
  if (!named || named.minor >= most.minor) return remaining;
  return { value: formatAmount(named), currency: named.currency };
}

/** The one whose heading names the reason, else the one that was found first. */
function passageFor(reason: WishReason, passages: readonly Citable[]): Citable | undefined {
  return passages.find(({ label }) => label.toLowerCase().includes(words[reason])) ?? passages[0];
}

import type { Money } from '../money/money';
import { formatSigned } from '../money/signed';
import type { OurBooks, OurRefund, TheirBooks } from './books';
import type { Figures, FoundDifference } from './difference';
import { compareLedger } from './ledgerCheck';
import { compareRefunds } from './refunds';
import { hasFailed } from '../refund/providerRefund';

/**
 * Compares one payment. What is the provider's alone to say (captured, disputed, refunds made by hand) is adopted; what
 * both must agree on is for a person. A cause is named once: figures that follow from it are not differences of their own.
 * @param ours undefined where the balance of the payment is not on record
 */
export function compare(
  ours: OurBooks | undefined,
  ourRefunds: readonly OurRefund[],
  theirs: TheirBooks,
): FoundDifference[] {
  const refunds = compareRefunds(ourRefunds, theirs.refunds);
  if (!ours) return [...refunds, balanceMissing(theirs)];
  const ledger = compareLedger(ours);
  const changed = [...madeByHand(ours, ourRefunds, theirs)];
  const causes = [...refunds, ...ledger];
  const balance = causes.length > 0 ? [] : compareBalance(ours, theirs);
  return [...causes, ...balance, ...changed, ...paymentChanged(ours, theirs, changed.length > 0)];
}

const money = (minor: number, currency: string): Money => ({ minor, currency });

/** What of ours has succeeded there. */
function ownSucceeded({ refunds }: TheirBooks): number {
  return refunds
    .filter(({ runId, status }) => runId !== undefined && status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount.minor, 0);
}

function compareBalance(ours: OurBooks, theirs: TheirBooks): FoundDifference[] {
  const [here, there] = [money(ours.refunded, ours.currency), money(ownSucceeded(theirs), ours.currency)];
  if (here.minor === there.minor) return [];
  return [
    difference('balance_differs', {
      ours: { refunded: here },
      theirs: { refunded: there },
      explanation:
        `Our balance says that ${text(here)} of this payment went back through us; the provider's refunds that ` +
        `carry our run ids come to ${text(there)}, although each of them agrees with our record of it.`,
    }),
  ];
}

function balanceMissing(theirs: TheirBooks): FoundDifference {
  const currency = theirs.refunds[0]?.amount.currency;
  return difference('balance_differs', {
    ours: null,
    theirs: currency === undefined ? {} : { refunded: money(ownSucceeded(theirs), currency) },
    explanation: 'Refunds of this payment are on record here, and its balance is not: the row is gone.',
  });
}

/** Clocks of both sides differ a little, and the provider counts whole seconds, ms. */
const clockSlackMs = 5_000;

/** Refunds made by hand since the provider's record was last read, where they explain what the balance lacks. */
function madeByHand(ours: OurBooks, ourRefunds: readonly OurRefund[], theirs: TheirBooks): FoundDifference[] {
  const lacking = theirs.refundedElsewhere - ours.refundedElsewhere;
  const named = new Set(ourRefunds.map(({ refundId }) => refundId));
  const fresh = theirs.refunds.filter(
    ({ id, runId, status, createdAt = 0 }) =>
      runId === undefined && !hasFailed(status) && !named.has(id) && createdAt >= ours.readAt - clockSlackMs,
  );
  if (lacking <= 0 || fresh.reduce((sum, { amount }) => sum + amount.minor, 0) !== lacking) return [];
  return fresh.map(({ id, amount, status }) =>
    difference('refund_by_hand', {
      refundId: id,
      ours: null,
      theirs: { amount, status },
      explanation:
        `Refund ${id} of ${text(amount)} was made at the provider without us, and no event told us. ` +
        'The balance counts it now.',
      adopted: true,
    }),
  );
}

function paymentChanged(ours: OurBooks, theirs: TheirBooks, explained: boolean): FoundDifference[] {
  const names = ['captured', 'disputed', ...(explained ? [] : (['refundedElsewhere'] as const))] as const;
  const changed = names.filter((name) => ours[name] !== theirs[name]);
  if (changed.length === 0) return [];
  const side = (books: Pick<OurBooks, (typeof names)[number]>): Figures =>
    Object.fromEntries(changed.map((name) => [name, money(books[name], ours.currency)]));
  const told = changed.map(
    (name) =>
      `${words[name]} was ${text(money(ours[name], ours.currency))} and is ${text(money(theirs[name], ours.currency))}`,
  );
  return [
    difference('payment_changed', {
      ours: side(ours),
      theirs: side(theirs),
      explanation: `The provider's record of the payment has changed and no event told us: ${told.join('; ')}. The balance follows it.`,
      adopted: true,
    }),
  ];
}

const words = {
  captured: 'what was captured',
  disputed: 'what is disputed',
  refundedElsewhere: 'what was refunded without us',
} as const;

const text = (amount: Money): string => `${formatSigned(amount)} ${amount.currency}`;

/** With everything that most of them are. */
export function difference(
  kind: FoundDifference['kind'],
  found: Omit<FoundDifference, 'kind' | 'adopted' | 'news'> & Partial<FoundDifference>,
): FoundDifference {
  return { adopted: false, news: false, ...found, kind };
}

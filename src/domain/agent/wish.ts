import { factsIn } from '../context/facts';
import { exponentOf } from '../money/currencies';
import { parseAmount } from '../money/decimal';
import type { Money } from '../money/money';
import { externalId, paymentId } from '../refund/request';
import type { draftReasons } from './draft';

export type WishReason = (typeof draftReasons)[number];

/** What somebody's words ask for, as far as code can read it. */
export interface Wish {
  /** In the order in which they were named first. */
  readonly payments: readonly string[];
  readonly orders: readonly string[];
  /** The last amount that was named in this currency. */
  readonly amount: (currency: string) => Money | undefined;
  /** Whether all of it is wanted back. */
  readonly everything: boolean;
  readonly reason: WishReason;
}

/** Tried in this order; whoever was charged twice says so even when he also says that he wants his money back. */
const reasons: readonly [WishReason, RegExp][] = [
  ['duplicate', /charged twice|paid twice|double[- ]charg|duplicate|doppelt|dos veces|deux fois/i],
  [
    'not_received',
    /(?:never|not|n.t|hasn.t|has not|did not|didn.t) (?:yet )?(?:arriv|receiv|deliver|come|get)|got lost|lost in|nicht angekommen|no ha llegado|pas arriv/i,
  ],
  [
    'damaged',
    /broken|broke\b|damaged|cracked|torn|smashed|shattered|spoiled|defective|scratched|dented|kaputt|besch[aä]digt|roto|rota|cass[eé]/i,
  ],
  [
    'not_as_described',
    /not as described|wrong (?:item|colou?r|size|model|one|product)|different (?:from|to|than)|not what i ordered|falsche|equivocad|pas conforme/i,
  ],
];

const everythingPattern =
  /\b(?:full(?:y)? refund|refund in full|everything|whole amount|all of (?:it|my money)|my money back|entire)\b/i;

const signs: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' };

/** Reads what was said, oldest first. Later words count before earlier ones, except that ids keep their order. */
export function readWish(said: readonly string[]): Wish {
  const facts = said.flatMap((text) => factsIn(text));
  const ids = facts.filter(({ kind }) => kind === 'id').map(({ text }) => text);
  const newestFirst = [...said].reverse();
  const reason = newestFirst.flatMap((text) => reasons.find(([, pattern]) => pattern.test(text))?.[0] ?? []);
  return {
    payments: [...new Set(ids.filter((text) => paymentId.safeParse(text).success))],
    orders: [...new Set(ids.filter(isOrder))],
    amount: (currency) =>
      facts
        .filter(({ kind }) => kind === 'amount')
        .map(({ text }) => amountOf(text, currency))
        .findLast((amount) => amount !== undefined),
    everything: said.some((text) => everythingPattern.test(text)),
    reason: reason[0] ?? 'requested_by_customer',
  };
}

/** `ORDER-42`, `#1234`, `order 1234`: what no other system of ours mints. */
function isOrder(text: string): boolean {
  return !/^[a-z]{2,4}_/.test(text) && externalId.safeParse(text).success;
}

/** An amount as people write it; undefined where it is in another currency, or can't be read without a guess. */
function amountOf(text: string, currency: string): Money | undefined {
  const code = /[A-Z]{3}/.exec(text)?.[0] ?? signs[/\p{Sc}/u.exec(text)?.[0] ?? ''] ?? wordOf(text);
  const exponent = exponentOf(currency);
  const written = /\d[\d,.'’ \u00a0\u202f]*/.exec(text)?.[0].trim();
  if (code !== currency || exponent === undefined || written === undefined || /[-−]/.test(text))
    return undefined;
  const plain = written.replace(/[ '’\u00a0\u202f]/g, '');
  const [, whole = '', decimals] = /^([\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(plain) ?? [];
  const digits = whole.replace(/[.,]/g, '').replace(/^0+(?=\d)/, '');
  try {
    return parseAmount(decimals === undefined || exponent === 0 ? digits : `${digits}.${decimals}`, currency);
  } catch {
    return undefined;
  }
}

function wordOf(text: string): string | undefined {
  if (/dollars?|usd/i.test(text)) return 'USD';
  if (/euros?|eur/i.test(text)) return 'EUR';
  return undefined;
}

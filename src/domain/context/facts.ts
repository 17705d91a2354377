import { exponentOfPaymentCurrency } from '../money/currencies';
import { visibleText } from './visibleText';

/** An id, or an amount with its currency, exactly as it stands in a text. */
export interface Fact {
  readonly kind: 'id' | 'amount';
  readonly text: string;
}

interface Shape {
  readonly kind: Fact['kind'];
  readonly pattern: RegExp;
  readonly holds?: (text: string) => boolean;
  /** However it is spaced, it is one fact. */
  readonly spaced?: boolean;
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
/** Ids that the provider or Countersign mints. */
const prefixes =
  'acct|agr|apr|ch|cus|dp|du|evt|in|mdc|mem|pi|po|py|pyr|re|rec|req|run|seti|si|spl|sub|thr|tr|trr|txn';
const ordersAndAlike =
  'order|payment|refund|invoice|return|case|ticket|rma|charge|bestellung|auftrag|rechnung|pedido|orden|factura|commande|facture|ordine|заказ|订单|訂單|注文|주문|طلب|ऑर्डर|অর্ডার';

/** Thousands in groups, or plain digits; then decimals. */
const number = String.raw`(?:\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3}){1,5}(?!\d)|\d{1,15})(?:[.,]\d{1,8})?`;
const wordsOfMoney = 'usd|eur|gbp|jpy|chf|cad|aud|inr|bdt|cny|dollars?|euros?|pounds?|yen|yuan|rupees?|taka';
const currency = String.raw`(?:[A-Z]{3}(?![A-Za-z0-9_])|(?:US|CA|AU|NZ|HK|A|C|S)?\p{Sc}|(?:${wordsOfMoney})(?![A-Za-z0-9_]))`;

/** Every quantifier is bounded and every start is anchored, so the time is linear in the text (R54). */
const shapes: readonly Shape[] = [
  {
    kind: 'id',
    pattern: new RegExp(
      String.raw`(?<![A-Za-z0-9_-])(?:${prefixes})_(?:test_|live_)?(?:${uuid}|(?=[A-Za-z]{0,63}[0-9])[A-Za-z0-9]{4,64}|[A-Za-z]{14,64})(?![A-Za-z0-9_])`,
      'g',
    ),
  },
  { kind: 'id', pattern: new RegExp(`(?<![A-Za-z0-9_-])${uuid}(?![A-Za-z0-9_-])`, 'gi') },
  {
    kind: 'id',
    pattern:
      /(?<![A-Za-z0-9_/-])(?=[A-Z/_-]{0,63}[0-9]|[A-Z0-9]{1,16}[-_/][A-Z0-9]{0,24}[0-9])[A-Z][A-Z0-9]{0,15}(?:[-_/][A-Z0-9]{1,24}){1,4}(?![A-Za-z0-9_/-])/g,
  },
  { kind: 'id', pattern: /(?<![\w#&])#\d{3,20}(?!\w)/g },
  {
    kind: 'id',
    pattern: new RegExp(
      String.raw`(?<![A-Za-z])(?:${ordersAndAlike})(?: (?:id|no\.?|nr\.?|number|nummer|numero))?[ :#：]{0,3}\d{3,20}(?![A-Za-z0-9_])`,
      'giu',
    ),
  },
  {
    kind: 'id',
    pattern: /(?<![A-Za-z])idempotency[ _-]?key(?: is)?[ "'`:=]{1,4}[!-~]{0,126}[A-Za-z0-9]/gi,
  },
  {
    kind: 'amount',
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_.,])[-−]?${number}[ \u00a0\u202f]{0,2}${currency}`, 'gu'),
    holds: isMoney,
  },
  {
    kind: 'amount',
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}_.,])(?:[A-Z]{3}|(?:US|CA|AU|NZ|HK|A|C|S)?\p{Sc})[ \u00a0\u202f]{0,2}[-−]?${number}(?![\p{L}\p{N}_]|[.,]\d)`,
      'gu',
    ),
    holds: isMoney,
  },
  {
    // As tools answer.
    kind: 'amount',
    pattern:
      /"(?:value|amount|minor)"\s{0,9}:\s{0,9}"?-?\d{1,18}(?:\.\d{1,8})?"?\s{0,9},\s{0,9}"currency"\s{0,9}:\s{0,9}"[A-Za-z]{3}"/g,
    spaced: true,
  },
];

function isMoney(text: string): boolean {
  const code = /[A-Z]{3}/.exec(text)?.[0];
  return code === undefined || exponentOfPaymentCurrency(code) !== undefined;
}

/**
 * Every id and amount in a text, each once, in the order in which they first appear (R52). Found by code alone, so that
 * a summary can be checked against what it summarizes.
 */
export function factsIn(text: string): Fact[] {
  const seen = visibleText(text);
  const found = shapes.flatMap(({ kind, pattern, holds, spaced }) =>
    [...seen.matchAll(pattern)]
      .filter((match) => holds === undefined || holds(match[0]))
      .map(({ 0: shown, index: start }) => ({
        kind,
        text: spaced ? shown.replace(/\s/g, '') : shown,
        start,
        end: start + shown.length,
      })),
  );
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const facts = new Map<string, Fact>();
  let end = 0;
  for (const span of found) {
    // Within a longer one, or cut by one that began before.
    if (span.start < end) continue;
    end = span.end;
    if (!facts.has(span.text)) facts.set(span.text, { kind: span.kind, text: span.text });
  }
  return [...facts.values()];
}

/** Both, each once, those of `first` before those of `second`. */
export function mergedFacts(first: readonly Fact[], second: readonly Fact[]): Fact[] {
  return [...new Map([...first, ...second].map((fact) => [fact.text, fact])).values()];
}

/** What `text` says that is none of `known`: ids and amounts that a summary has invented. */
export function inventedIn(text: string, known: readonly Fact[]): Fact[] {
  const texts = new Set(known.map((fact) => fact.text));
  return factsIn(text).filter((fact) => !texts.has(fact.text));
}

/** Facts as text, ids apart from amounts; reading it again gives the same facts. */
export function factLines(facts: readonly Fact[]): string {
  const of = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind).map((fact) => fact.text);
  const [ids, amounts] = [of('id'), of('amount')];
  return [
    ...(ids.length > 0 ? [`ids: ${ids.join('; ')}`] : []),
    ...(amounts.length > 0 ? [`amounts: ${amounts.join('; ')}`] : []),
  ].join('\n');
}

/**
 * At most about `length` UTF-16 units of a text, from its beginning, with … where something is missing. No id and no
 * amount is cut in two: what would come out as another one is left out.
 */
export function cutText(text: string, length: number): string {
  const seen = visibleText(text);
  if (seen.length <= length) return seen;
  const known = factsIn(seen);
  let end = length;
  for (let attempt = 0; attempt < 20 && end > 0; attempt += 1) {
    const piece = seen.slice(0, end).trimEnd();
    if (inventedIn(piece, known).length === 0 && !/[\ud800-\udbff]$/.test(piece)) return `${piece} …`;
    end = piece.search(/\s\S*$/);
  }
  return '…';
}

import type { Money } from '../money/money';
import { formatSigned } from '../money/signed';
import type { OurBooks } from './books';
import type { FoundDifference } from './difference';

/** Our own books against themselves: the balance, the ledger's entries and the runs must say the same, to the cent. */
export function compareLedger(books: OurBooks): FoundDifference[] {
  const { currency, entries, runs } = books;
  const refunded = books.refunded + books.refundedElsewhere;
  const remaining = books.captured - books.disputed - refunded - books.unknown - books.reserved;
  const rows: readonly (readonly [account: string, balance: number, others: Record<string, number>])[] = [
    ['customer', -books.captured, { entries: entries.customer }],
    ['captured', remaining, { entries: entries.captured }],
    ['reserved', books.reserved, { entries: entries.reserved, runs: runs.reserved }],
    ['unknown', books.unknown, { entries: entries.unknown, runs: runs.unknown }],
    ['refunded', refunded, { entries: entries.refunded, runs: runs.paid + books.refundedElsewhere }],
    ['disputed', books.disputed, { entries: entries.disputed }],
  ];
  const money = (minor: number): Money => ({ minor, currency });
  const wrong = rows.flatMap(([account, balance, others]) =>
    Object.entries(others)
      .filter(([, figure]) => figure !== balance)
      .map(([source, figure]) => ({ account, balance: money(balance), source, figure: money(figure) })),
  );
  if (wrong.length === 0) return [];
  const told = wrong.map(
    ({ account, balance, source, figure }) =>
      `${account} is ${formatSigned(balance)} in the balance and ${formatSigned(figure)} by the ${source}`,
  );
  return [
    {
      kind: 'ledger_differs',
      ours: Object.fromEntries(
        wrong.flatMap(({ account, balance, source, figure }) => [
          [`${account}:balance`, balance],
          [`${account}:${source}`, figure],
        ]),
      ),
      theirs: null,
      explanation: `Our own books disagree about this payment (${currency}): ${told.join('; ')}. Somebody or something changed a row past the ledger.`,
      adopted: false,
      news: false,
    },
  ];
}

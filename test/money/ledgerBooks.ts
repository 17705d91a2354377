import type { LedgerFixture } from '../adapters/postgres/ledgerFixture';

export const accounts = ['customer', 'captured', 'reserved', 'unknown', 'refunded', 'disputed'] as const;
export type Entry = Record<(typeof accounts)[number], number>;

type Rows = Pick<LedgerFixture, 'rows'>;

/** One payment's entries as they were written, minor units. */
export async function entriesOf(books: Rows, paymentId: string): Promise<Entry[]> {
  const found = await books.rows<Record<keyof Entry, string>>(
    'select * from ledger_entries where payment_id = $1 order by seq',
    [paymentId],
  );
  return found.map((row) => Object.fromEntries(accounts.map((name) => [name, Number(row[name])])) as Entry);
}

export function totals(entries: readonly Entry[]): Entry {
  const sum = (name: keyof Entry) => entries.reduce((total, entry) => total + entry[name], 0);
  return Object.fromEntries(accounts.map((name) => [name, sum(name)])) as Entry;
}

/** Entries that held more than was left at that moment: there must be none (R6). */
export function overdraws(entries: readonly Entry[]): Entry[] {
  let left = 0;
  return entries.filter((entry) => {
    left += entry.captured;
    return entry.reserved > 0 && entry.unknown === 0 && left < 0;
  });
}

/** What the runs of a payment hold and have paid, by their own rows. */
export async function sumsOfRuns(books: Rows, paymentId: string) {
  const [row] = await books.rows<Record<'reserved' | 'unknown' | 'paid', string>>(
    `select coalesce(sum(amount) filter (where money = 'reserved'), 0) as reserved,
            coalesce(sum(amount) filter (where money = 'unknown'), 0) as unknown,
            coalesce(sum(amount) filter (where money = 'paid'), 0) as paid
     from runs where payment_id = $1`,
    [paymentId],
  );
  return { reserved: Number(row?.reserved), unknown: Number(row?.unknown), paid: Number(row?.paid) };
}

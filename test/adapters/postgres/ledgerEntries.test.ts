import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(10);
});
afterAll(() => ledger.close());

type Entry = Record<'customer' | 'captured' | 'reserved' | 'unknown' | 'refunded' | 'disputed', string> & {
  run_id: string | null;
};
const accounts = ['customer', 'captured', 'reserved', 'unknown', 'refunded', 'disputed'] as const;

const entriesOf = (paymentId: string) =>
  ledger.rows<Entry>('select * from ledger_entries where payment_id = $1 order by seq', [paymentId]);
const figures = (entry: Entry) => accounts.map((name) => Number(entry[name]));

describe('double entry', () => {
  test('R6: every change of a payment is one balanced entry, and they add up to its balance', async () => {
    const paymentId = await ledger.adopted(10_000);
    const paid = await ledger.reserved(paymentId, 3_000);
    const freed = await ledger.reserved(paymentId, 2_000);
    await ledger.in((unit) => unit.ledger.markUnknown(paid));
    await ledger.in((unit) => unit.ledger.markPaid(paid));
    await ledger.in((unit) => unit.ledger.release(freed));

    const entries = await entriesOf(paymentId);
    expect(entries.map(figures)).toEqual([
      [-10_000, 10_000, 0, 0, 0, 0],
      [0, -3_000, 3_000, 0, 0, 0],
      [0, -2_000, 2_000, 0, 0, 0],
      [0, 0, -3_000, 3_000, 0, 0],
      [0, 0, 0, -3_000, 3_000, 0],
      [0, 2_000, -2_000, 0, 0, 0],
    ]);
    expect(entries.map(({ run_id }) => run_id)).toEqual([null, paid, freed, paid, paid, freed]);
    const sum = (name: (typeof accounts)[number]) => entries.reduce((total, e) => total + Number(e[name]), 0);
    const balance = await ledger.balance(paymentId);
    expect([sum('captured'), sum('reserved'), sum('unknown'), sum('refunded')]).toEqual([
      balance.remaining,
      balance.reserved,
      balance.unknown,
      balance.refunded,
    ]);
  });

  test('R8: doing a step again writes no second entry', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.reserved(paymentId, 1_000);
    for (let i = 0; i < 3; i += 1) {
      await ledger.in((unit) => unit.ledger.markPaid(runId));
      await ledger.in((unit) => unit.ledger.release(runId));
      await ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 1_000));
    }
    expect(await entriesOf(paymentId)).toHaveLength(3);
  });

  test('R37: the database refuses to change, remove or unbalance an entry, whoever asks', async () => {
    const paymentId = await ledger.adopted(500);
    for (const statement of [
      'update ledger_entries set refunded = 1 where payment_id = $1',
      'delete from ledger_entries where payment_id = $1',
    ]) {
      await expect(ledger.rows(statement, [paymentId])).rejects.toThrow('never changed');
    }
    await expect(
      ledger.rows(
        `insert into ledger_entries (tenant, account, payment_id, seq, currency, captured) values ('acme', 'x', $1, 99, 'USD', 1)`,
        [paymentId],
      ),
    ).rejects.toThrow('balanced');
  });
});

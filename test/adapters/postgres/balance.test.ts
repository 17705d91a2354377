import fc from 'fast-check';
import { CountersignError } from '../../../src/domain/errors';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

const captured = 1_000;
const runCount = 4;

const step = fc.record({
  what: fc.constantFrom('reserve', 'change', 'release', 'markUnknown', 'markPaid'),
  run: fc.nat({ max: runCount - 1 }),
  amount: fc.integer({ min: 1, max: 600 }),
});

interface Held {
  money: 'none' | 'reserved' | 'unknown' | 'paid' | 'freed';
  amount: number;
}

const total = (runs: readonly Held[], ...kinds: Held['money'][]) =>
  runs.filter((r) => kinds.includes(r.money)).reduce((sum, r) => sum + r.amount, 0);

/** What the ledger should make of one step. @returns the code of a refusal */
function expected(runs: Held[], { what, run, amount }: { what: string; run: number; amount: number }) {
  const held = runs[run] as Held;
  const free = captured - total(runs, 'reserved', 'unknown', 'paid');
  if (what === 'reserve' && (held.money === 'none' || held.money === 'freed')) {
    if (amount > free) return 'exceeds_remaining';
    runs[run] = { money: 'reserved', amount };
  } else if (what === 'change') {
    if (held.money !== 'reserved') return 'version_conflict';
    if (amount - held.amount > free) return 'exceeds_remaining';
    runs[run] = { money: 'reserved', amount };
  } else if (what === 'markUnknown' && held.money === 'reserved') {
    held.money = 'unknown';
  } else if (what !== 'reserve' && (held.money === 'reserved' || held.money === 'unknown')) {
    if (what === 'release') held.money = 'freed';
    if (what === 'markPaid') held.money = 'paid';
  }
  return undefined;
}

test('R6: the balance is always the sum over the runs, and never more than was captured', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
      const paymentId = await ledger.adopted(captured);
      const ids = await Promise.all(Array.from({ length: runCount }, () => ledger.run(paymentId, 1)));
      const runs: Held[] = ids.map(() => ({ money: 'none', amount: 1 }));
      for (const one of steps) {
        const runId = ids[one.run] as string;
        const code = await ledger
          .in(async ({ ledger: book }) => {
            if (one.what === 'reserve') return book.reserve(runId, paymentId, one.amount);
            if (one.what === 'change') return book.changeReservation(runId, one.amount);
            return book[one.what](runId);
          })
          .then(
            () => undefined,
            (error: unknown) => {
              if (error instanceof CountersignError) return error.code;
              throw error;
            },
          );
        expect({ one, code }).toEqual({ one, code: expected(runs, one) });
      }
      const balance = await ledger.balance(paymentId);
      expect(balance).toMatchObject({
        reserved: total(runs, 'reserved'),
        unknown: total(runs, 'unknown'),
        refunded: total(runs, 'paid'),
        remaining: captured - total(runs, 'reserved', 'unknown', 'paid'),
      });
      expect(balance.remaining).toBeGreaterThanOrEqual(0);
      const [sums] = await ledger.rows<{ reserved: string; unknown: string; paid: string }>(
        `select coalesce(sum(amount) filter (where money = 'reserved'), 0) as reserved,
                coalesce(sum(amount) filter (where money = 'unknown'), 0) as unknown,
                coalesce(sum(amount) filter (where money = 'paid'), 0) as paid
         from runs where payment_id = $1`,
        [paymentId],
      );
      expect([balance.reserved, balance.unknown, balance.refunded]).toEqual([
        Number(sums?.reserved),
        Number(sums?.unknown),
        Number(sums?.paid),
      ]);
    }),
    { numRuns: 40 },
  );
});

test('R6: whatever twelve runs do at once, the balance stays the sum over them', async () => {
  const paymentId = await ledger.adopted(captured);
  const ids = await Promise.all(Array.from({ length: 12 }, () => ledger.run(paymentId, 1)));
  await Promise.allSettled(
    ids.map(async (runId, i) => {
      await ledger.in((u) => u.ledger.reserve(runId, paymentId, 70 + i));
      await ledger.in((u) => u.ledger.changeReservation(runId, 60 + 5 * i));
      if (i % 3 === 0) await ledger.in((u) => u.ledger.markUnknown(runId));
      await ledger.in((u) => (i % 2 ? u.ledger.markPaid(runId) : u.ledger.release(runId)));
    }),
  );
  const balance = await ledger.balance(paymentId);
  const [sum] = await ledger.rows<{ reserved: string; paid: string; n: string }>(
    `select coalesce(sum(amount) filter (where money = 'reserved'), 0) as reserved,
            sum(amount) filter (where money = 'paid') as paid, count(*) filter (where money = 'paid') as n
     from runs where payment_id = $1`,
    [paymentId],
  );
  expect(Number(sum?.n)).toBeGreaterThan(0);
  expect([balance.reserved, balance.unknown, balance.refunded]).toEqual([
    Number(sum?.reserved),
    0,
    Number(sum?.paid),
  ]);
  expect(balance.remaining).toBeGreaterThanOrEqual(0);
});

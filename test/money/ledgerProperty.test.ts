import fc from 'fast-check';
import { CountersignError } from '../../src/domain/errors';
import type { Ledger } from '../../src/ports/ledger';
import { LedgerFixture } from '../adapters/postgres/ledgerFixture';
import { entriesOf, overdraws, sumsOfRuns, totals } from './ledgerBooks';
import { seeded } from './seeded';

let books: LedgerFixture;
beforeAll(async () => {
  books = await LedgerFixture.open(12);
});
afterAll(() => books.close());

const captured = 1_000;
const runCount = 5;

const runStep = fc.record({
  what: fc.constantFrom('reserve', 'change', 'release', 'markUnknown', 'markPaid', 'reverse'),
  run: fc.nat({ max: runCount - 1 }),
  amount: fc.integer({ min: 1, max: 700 }),
});
/** The provider's own record, read again: refunds made by hand and disputes come and go. */
const adoptStep = fc.record({
  what: fc.constant('adopt'),
  refundedElsewhere: fc.constantFrom<number>(0, 0, 100, 400),
  disputed: fc.constantFrom<number>(0, 0, 300, captured),
});
type Step = typeof runStep | typeof adoptStep extends fc.Arbitrary<infer S> ? S : never;

const calm = { refundedElsewhere: 0, disputed: 0 };

async function take(ledger: Ledger, step: Step, runIds: string[], paymentId: string): Promise<void> {
  if (!('run' in step)) {
    const { refundedElsewhere, disputed } = step;
    await ledger.adopt(books.payment(captured, { paymentId, refundedElsewhere, disputed }));
    return;
  }
  const runId = runIds[step.run] ?? '';
  switch (step.what) {
    case 'reserve':
      return ledger.reserve(runId, paymentId, step.amount);
    case 'change':
      return ledger.changeReservation(runId, step.amount);
    default:
      return ledger[step.what](runId);
  }
}

/** A refusal is an answer; anything else that a step throws is a bug, a deadlock too. */
const refusals = ['exceeds_remaining', 'payment_disputed', 'version_conflict'];

async function attempt(step: Step, runIds: string[], paymentId: string): Promise<void> {
  try {
    await books.in(({ ledger }) => take(ledger, step, runIds, paymentId));
  } catch (error) {
    if (!(error instanceof CountersignError) || !refusals.includes(error.code)) throw error;
  }
}

async function ground(): Promise<{ paymentId: string; runIds: string[] }> {
  const paymentId = await books.adopted(captured);
  const runIds = await Promise.all(Array.from({ length: runCount }, () => books.run(paymentId, 1)));
  return { paymentId, runIds };
}

/** What must hold whatever was done in whatever order: the balance is the sum over its runs and over its entries. */
async function expectSound(paymentId: string): Promise<void> {
  const entries = await entriesOf(books, paymentId);
  const balance = await books.balance(paymentId);
  const { reserved, unknown, refunded, disputed, remaining } = balance;
  expect(totals(entries)).toEqual({
    customer: -captured,
    captured: remaining,
    reserved,
    unknown,
    refunded,
    disputed,
  });
  const [row] = await books.rows<{ elsewhere: string }>(
    'select refunded_elsewhere as elsewhere from payments where payment_id = $1',
    [paymentId],
  );
  const sums = await sumsOfRuns(books, paymentId);
  expect({ reserved, unknown, paid: refunded - Number(row?.elsewhere) }).toEqual(sums);
  expect(overdraws(entries)).toEqual([]);
}

describe('the ledger under any order of steps', () => {
  test('R6: steps all at once, and batch after batch: the balance is the sum of its runs and of its entries, and nothing is admitted past it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.array(fc.oneof({ weight: 6, arbitrary: runStep }, adoptStep), { minLength: 2, maxLength: 10 }),
          {
            minLength: 1,
            maxLength: 4,
          },
        ),
        async (batches) => {
          const { paymentId, runIds } = await ground();
          for (const batch of batches) {
            await Promise.all(batch.map((step) => attempt(step, runIds, paymentId)));
            await expectSound(paymentId);
          }
          // What was done by hand is undone, and the disputes are won: what our runs hold was never more than was captured.
          await attempt({ what: 'adopt', ...calm }, runIds, paymentId);
          await expectSound(paymentId);
        },
      ),
      seeded(25),
    );
  });

  const ends = ['release', 'markUnknown', 'markPaid', 'reverse'] as const;
  const pairs = ends.flatMap((one) => ends.map((other) => [one, other] as const));
  test.each(pairs)(
    'R12: %s and %s of one run at once are each answered, and the books stay sound',
    async (one, other) => {
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const { paymentId, runIds } = await ground();
          const [runId = ''] = runIds;
          await books.in(({ ledger }) => ledger.reserve(runId, paymentId, 400));
          if (i % 2) await books.in(({ ledger }) => ledger.markUnknown(runId));
          await Promise.all([one, other].map((what) => books.in(({ ledger }) => ledger[what](runId))));
          await expectSound(paymentId);
        }),
      );
    },
  );

  test('R6: after a dispute what is held can be lowered to what fits, to the unit, and to nothing more', async () => {
    const { paymentId, runIds } = await ground();
    const [runId = ''] = runIds;
    await books.in(({ ledger }) => ledger.reserve(runId, paymentId, 600));
    await attempt({ what: 'adopt', refundedElsewhere: 0, disputed: 700 }, runIds, paymentId);
    expect(await books.balance(paymentId)).toMatchObject({ reserved: 600, remaining: -300 });
    const over = books.in(({ ledger }) => ledger.changeReservation(runId, 301));
    await expect(over).rejects.toMatchObject({ code: 'payment_disputed' });
    await books.in(({ ledger }) => ledger.changeReservation(runId, 300));
    expect(await books.balance(paymentId)).toMatchObject({ reserved: 300, remaining: 0 });
    await expectSound(paymentId);
  });
});

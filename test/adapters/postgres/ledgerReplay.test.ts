import * as fc from 'fast-check';
import { ledgerAccounts, type LedgerFigures } from '../../../src/domain/ledger/accounts';
import { CountersignError } from '../../../src/domain/errors';
import type { ProviderPayment } from '../../../src/ports/payments';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(6);
});
afterAll(() => ledger.close());

const captured = 10_000;

type Act =
  | { readonly kind: 'reserve'; readonly amount: number }
  | {
      readonly kind: 'change' | 'release' | 'markUnknown' | 'markPaid' | 'reverse';
      readonly run: number;
      readonly amount: number;
    }
  | {
      readonly kind: 'adopt';
      readonly elsewhere: number;
      readonly disputed: number;
      readonly captured: number;
    };

const amount = fc.integer({ min: 1, max: 6_000 });
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant('reserve' as const), amount }),
  fc.record({
    kind: fc.constantFrom('change', 'release', 'markUnknown', 'markPaid', 'reverse'),
    run: fc.nat({ max: 5 }),
    amount,
  }),
  fc.record({
    kind: fc.constant('adopt' as const),
    elsewhere: fc.nat({ max: 2_000 }),
    disputed: fc.nat({ max: 2_000 }),
    captured: fc.constantFrom(captured, captured - 500),
  }),
);

/** Refusals are answers of the ledger; anything else is a failure. */
async function perform(one: Act, payment: ProviderPayment, runs: string[]): Promise<void> {
  try {
    if (one.kind === 'reserve') {
      runs.push(await ledger.reserved(payment.paymentId, one.amount));
      return;
    }
    await ledger.in(async ({ ledger: book }) => {
      if (one.kind === 'adopt') {
        const { captured: now, disputed, elsewhere: refundedElsewhere } = one;
        await book.adopt({ ...payment, captured: now, disputed, refundedElsewhere });
        return;
      }
      const run = runs[one.run % Math.max(runs.length, 1)];
      if (run === undefined) return;
      if (one.kind === 'change') await book.changeReservation(run, one.amount);
      else await book[one.kind](run);
    });
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
  }
}

const zero: LedgerFigures = { customer: 0, captured: 0, reserved: 0, unknown: 0, refunded: 0, disputed: 0 };

test('R6: the entries, replayed one by one, give the balances exactly, in whatever order and at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      async (acts, atOnce) => {
        const payment = ledger.payment(captured);
        const { paymentId } = payment;
        await ledger.in((unit) => unit.ledger.adopt(payment));
        const runs: string[] = [];
        for (let i = 0; i < acts.length; i += atOnce)
          await Promise.all(acts.slice(i, i + atOnce).map((one) => perform(one, payment, runs)));

        const history = await ledger.in((unit) => unit.books.history(paymentId, 0, 10_000));
        let replayed = zero;
        for (const [index, { seq, moved, balances }] of history.entries()) {
          const before = replayed;
          replayed = Object.fromEntries(
            ledgerAccounts.map((account) => [account, before[account] + moved[account]]),
          ) as unknown as LedgerFigures;
          expect(seq).toBe(index + 1);
          expect(ledgerAccounts.reduce((sum, account) => sum + moved[account], 0)).toBe(0);
          expect(balances).toEqual(replayed);
        }
        const balance = await ledger.balance(paymentId);
        expect(replayed).toEqual({
          customer: -balance.captured,
          captured: balance.remaining,
          reserved: balance.reserved,
          unknown: balance.unknown,
          refunded: balance.refunded,
          disputed: balance.disputed,
        });
        // What the runs say that they hold is the same, to the cent.
        const own = await ledger.in((unit) => unit.books.lock(paymentId, []));
        expect(own.books?.runs).toEqual({
          reserved: balance.reserved,
          unknown: balance.unknown,
          paid: own.books?.refunded,
        });
      },
    ),
    { numRuns: 12 },
  );
});

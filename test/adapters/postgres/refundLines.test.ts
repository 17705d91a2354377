import type { RefundLine, RefundShipping } from '../../../src/domain/refund/lines';
import { CountersignError } from '../../../src/domain/errors';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(20);
});
afterAll(() => ledger.close());

const usd = (minor: number) => ({ minor, currency: 'USD' });
let orders = 0;
const newOrder = () => `order-${(orders += 1)}`;

function line(quantity: number, bought = 3, minor = 1_000, lineId = 'sku-1'): RefundLine {
  return { lineId, quantity, of: { quantity: bought, amount: usd(minor) } };
}

/** A run with lines that holds nothing yet. @returns its id */
function lined(paymentId: string, orderId: string, minor: number, ...lines: RefundLine[]): Promise<string> {
  return requested(paymentId, minor, { orderId, lines });
}

function requested(
  paymentId: string,
  minor: number,
  what: { orderId: string; lines?: readonly RefundLine[]; shipping?: RefundShipping },
): Promise<string> {
  return ledger.run(paymentId, minor, {
    request: { paymentId, amount: usd(minor), reason: 'damaged', ...what },
  });
}

const reserve = (runId: string, paymentId: string, minor: number) =>
  ledger
    .in((unit) => unit.ledger.reserve(runId, paymentId, minor))
    .then(
      () => 'held',
      (error: unknown) => {
        if (error instanceof CountersignError) return error.code;
        throw error;
      },
    );

const run = async (runId: string) => {
  const found = await ledger.in((unit) => unit.runs.find(runId));
  if (!found) throw new Error(`there is no ${runId}`);
  return found;
};

describe('lines of an order', () => {
  test('R11: are taken with the amount, once, and shown with their shares', async () => {
    const [paymentId, order] = [await ledger.adopted(10_000), newOrder()];
    const runId = await requested(paymentId, 823, {
      orderId: order,
      lines: [line(1)],
      shipping: { of: usd(490), amount: usd(490) },
    });
    expect((await run(runId)).lines).toEqual([]);
    expect(await reserve(runId, paymentId, 823)).toBe('held');
    expect(await reserve(runId, paymentId, 823)).toBe('held');
    expect((await run(runId)).lines).toEqual([
      { lineId: 'sku-1', quantity: 1, amount: usd(333), of: { quantity: 3, amount: usd(1_000) } },
      { lineId: '', quantity: 1, amount: usd(490), of: { quantity: 1, amount: usd(490) } },
    ]);
  });

  test('R7: whoever asks at the same time waits for the one before, over several payments too', async () => {
    const [payments, order] = [
      await Promise.all([ledger.adopted(10_000), ledger.adopted(10_000)]),
      newOrder(),
    ];
    const ids = await Promise.all(
      Array.from({ length: 30 }, (_, i) => lined(payments[i % 2] ?? '', order, 300, line(1, 10, 3_000))),
    );
    const outcomes = await Promise.all(ids.map((id, i) => reserve(id, payments[i % 2] ?? '', 300)));
    expect(outcomes.filter((one) => one === 'held')).toHaveLength(10);
    expect(new Set(outcomes)).toEqual(new Set(['held', 'line_exhausted']));
    const [row] = await ledger.rows<{ reserved: string }>(
      'select sum(reserved) as reserved from payments where payment_id = any($1)',
      [payments],
    );
    expect(Number(row?.reserved)).toBe(3_000);
  });

  test('R8: a run whose lines are refused holds no amount, also where the transaction goes on', async () => {
    const [paymentId, order] = [await ledger.adopted(10_000), newOrder()];
    const first = await lined(paymentId, order, 667, line(2));
    await reserve(first, paymentId, 667);
    const second = await lined(paymentId, order, 667, line(2));
    await ledger.in(async (unit) => {
      await expect(unit.ledger.reserve(second, paymentId, 667)).rejects.toMatchObject({
        code: 'line_exhausted',
      });
      await unit.audit.append({ runId: second, actor: 'a', event: 'refused', step: 's' });
    });
    expect(await run(second)).toMatchObject({ money: 'freed', lines: [] });
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 667 });
  });

  test('R8: given back with the amount, and had again at the same share while nobody has taken them', async () => {
    const [paymentId, order] = [await ledger.adopted(10_000), newOrder()];
    const [first, second] = [
      await lined(paymentId, order, 333, line(1)),
      await lined(paymentId, order, 334, line(1)),
    ];
    expect([await reserve(first, paymentId, 333), await reserve(second, paymentId, 334)]).toEqual([
      'held',
      'held',
    ]);
    await ledger.in((unit) => unit.ledger.release(first));
    expect(await reserve(first, paymentId, 333)).toBe('held');
    await ledger.in((unit) => unit.ledger.release(first));
    const third = await lined(paymentId, order, 666, line(2));
    expect(await reserve(third, paymentId, 666)).toBe('held');
    expect(await reserve(first, paymentId, 333)).toBe('line_exhausted');
    expect((await run(first)).money).toBe('freed');
  });

  test('R11: stay taken by a run that was paid by hand at the provider, until that refund fails', async () => {
    const [paymentId, order] = [await ledger.adopted(10_000), newOrder()];
    const byHand = await lined(paymentId, order, 1_000, line(3));
    await reserve(byHand, paymentId, 1_000);
    const executed = { amount: usd(1_000), reason: 'damaged' as const };
    await ledger.in(async (unit) => {
      await unit.ledger.release(byHand);
      await unit.runs.change(byHand, { phase: 'settling', executed });
    });
    const next = await lined(paymentId, order, 333, line(1));
    expect(await reserve(next, paymentId, 333)).toBe('line_exhausted');
    await ledger.in((unit) => unit.runs.change(byHand, { phase: 'completed' }));
    expect(await reserve(next, paymentId, 333)).toBe('line_exhausted');
    await ledger.in((unit) => unit.runs.change(byHand, { phase: 'failed' }));
    expect(await reserve(next, paymentId, 333)).toBe('held');
  });

  test('R22: bound what an edit may raise the amount to', async () => {
    const [paymentId, order] = [await ledger.adopted(10_000), newOrder()];
    const runId = await lined(paymentId, order, 667, line(2));
    await reserve(runId, paymentId, 667);
    const change = (minor: number) => ledger.in((unit) => unit.ledger.changeReservation(runId, minor));
    await change(100);
    await change(667);
    await expect(change(668)).rejects.toMatchObject({ code: 'amount_not_of_lines' });
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 667 });
  });

  test('lines as v0.1 took them in, without their whole, are not counted', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.run(paymentId, 500);
    await ledger.rows(
      `update runs set request = request || '{"lines": [{"id": "l", "quantity": 1}]}' where run_id = $1`,
      [runId],
    );
    expect(await reserve(runId, paymentId, 500)).toBe('held');
    expect((await run(runId)).lines).toEqual([]);
  });
});

describe('parts of a split', () => {
  test('R30: count together for the policy, whatever their payments', async () => {
    const [first, second] = [await ledger.adopted(10_000), await ledger.adopted(10_000)];
    await ledger.in((unit) =>
      unit.splits.create({
        splitId: 'spl_1',
        idempotencyKey: 'spl_1',
        fingerprint: 'f',
        requester: 'service',
        orderId: 'order',
        amount: usd(3_000),
        reason: 'damaged',
        allocation: 'proportional',
        payments: [],
      }),
    );
    const one = await ledger.reserved(first, 1_000, { splitId: 'spl_1' });
    await ledger.reserved(second, 2_000, { splitId: 'spl_1' });
    await ledger.reserved(second, 5_000);
    const sums = await ledger.in((unit) => unit.ledger.aggregates(one, Date.now() - 3_600_000, Date.now()));
    expect(sums.payment).toBe(3_000);
    expect((await ledger.in((unit) => unit.runs.ofSplit('spl_1'))).map(({ runId }) => runId)).toContain(one);
  });
});

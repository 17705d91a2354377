import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(40);
});
afterAll(() => ledger.close());

const outcomes = (settled: PromiseSettledResult<unknown>[]) =>
  settled.map((s) => (s.status === 'fulfilled' ? 'admitted' : (s.reason as { code?: string }).code));
const count = (all: (string | undefined)[], what: string) => all.filter((o) => o === what).length;

describe('holding an amount', () => {
  test('R7: of 200 reservations at once exactly the captured amount is admitted', async () => {
    const paymentId = await ledger.adopted(12_050);
    const runs: string[] = [];
    for (let i = 0; i < 200; i += 1) runs.push(await ledger.run(paymentId, 100));
    const settled = await Promise.allSettled(
      runs.map((runId) => ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 100))),
    );
    expect(count(outcomes(settled), 'admitted')).toBe(120);
    expect(count(outcomes(settled), 'exceeds_remaining')).toBe(80);
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 12_000, remaining: 50 });
    const [held] = await ledger.rows<{ n: string }>(
      `select count(*) as n from runs where payment_id = $1 and money = 'reserved'`,
      [paymentId],
    );
    expect(Number(held?.n)).toBe(120);
  });

  test('R7: one run that reserves twenty times at once holds its amount once', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.run(paymentId, 4_000);
    const attempts = Array.from({ length: 20 }, () =>
      ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 4_000)),
    );
    expect(new Set(outcomes(await Promise.allSettled(attempts)))).toEqual(new Set(['admitted']));
    expect((await ledger.balance(paymentId)).reserved).toBe(4_000);
  });

  test('R9: the exact remainder passes; one minor unit more is refused and holds nothing', async () => {
    const paymentId = await ledger.adopted(10_000, { refundedElsewhere: 1_000 });
    await ledger.reserved(paymentId, 4_000);
    const more = await ledger.run(paymentId, 5_001);
    await expect(ledger.in((unit) => unit.ledger.reserve(more, paymentId, 5_001))).rejects.toMatchObject({
      code: 'exceeds_remaining',
      details: { requested: 5_001, remaining: 5_000, currency: 'USD' },
    });
    expect((await ledger.balance(paymentId)).remaining).toBe(5_000);
    await ledger.reserved(paymentId, 5_000);
    expect((await ledger.balance(paymentId)).remaining).toBe(0);
  });

  test('R6: what is disputed can not be held, and the refusal says why', async () => {
    const paymentId = await ledger.adopted(10_000, { disputed: 6_000 });
    const runId = await ledger.run(paymentId, 4_001);
    await expect(ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 4_001))).rejects.toMatchObject({
      code: 'payment_disputed',
    });
    await ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 4_000));
  });

  test('R56: nothing captured, nothing held', async () => {
    const paymentId = await ledger.adopted(0);
    const runId = await ledger.run(paymentId, 1);
    await expect(ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 1))).rejects.toMatchObject({
      code: 'payment_uncaptured',
    });
  });

  test('R22: a changed amount takes or gives back the difference, within what remains', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.reserved(paymentId, 4_000);
    await ledger.reserved(paymentId, 1_000);
    const change = (amount: number) => ledger.in((unit) => unit.ledger.changeReservation(runId, amount));
    await change(9_000);
    expect((await ledger.balance(paymentId)).remaining).toBe(0);
    await expect(change(9_001)).rejects.toMatchObject({
      code: 'exceeds_remaining',
      details: { requested: 9_001 },
    });
    await change(1);
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 1_001, remaining: 8_999 });
    await ledger.in((unit) => unit.ledger.release(runId));
    await expect(change(5)).rejects.toMatchObject({ code: 'version_conflict' });
  });
});

test('R22: where a dispute has left less than nothing, what is held stays held, and lowered it must fit again', async () => {
  const payment = ledger.payment(10_000);
  await ledger.in((unit) => unit.ledger.adopt(payment));
  const runId = await ledger.reserved(payment.paymentId, 8_000);
  await ledger.in((unit) => unit.ledger.adopt({ ...payment, disputed: 4_000 }));
  const change = (amount: number) => ledger.in((unit) => unit.ledger.changeReservation(runId, amount));
  await change(8_000);
  await expect(change(8_001)).rejects.toMatchObject({ code: 'exceeds_remaining' });
  await expect(change(6_001)).rejects.toMatchObject({ code: 'exceeds_remaining' });
  await change(6_000);
  expect(await ledger.balance(payment.paymentId)).toMatchObject({ reserved: 6_000, remaining: 0 });
});

describe('what becomes of what is held', () => {
  const each = async (runId: string, ...steps: ('release' | 'markUnknown' | 'markPaid')[]) => {
    for (const step of steps) await ledger.in((unit) => unit.ledger[step](runId));
  };

  test('R8: released twenty times at once, it is given back once', async () => {
    const paymentId = await ledger.adopted(10_000);
    await ledger.reserved(paymentId, 3_000);
    const runId = await ledger.reserved(paymentId, 3_000);
    await Promise.all(Array.from({ length: 20 }, () => ledger.in((unit) => unit.ledger.release(runId))));
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 3_000, remaining: 7_000 });
  });

  test('R27: given back and asked for again after a reset, it is held again, if it is still there', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.reserved(paymentId, 8_000);
    const again = () => ledger.in((unit) => unit.ledger.reserve(runId, paymentId, 8_000));
    await each(runId, 'release');
    const other = await ledger.reserved(paymentId, 3_000);
    await expect(again()).rejects.toMatchObject({ code: 'exceeds_remaining' });
    await each(other, 'release');
    await again();
    await again();
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 8_000, remaining: 2_000 });
  });

  test('R12: an unknown outcome stays held, however often it is said, and is paid or freed once', async () => {
    const paymentId = await ledger.adopted(10_000);
    const paid = await ledger.reserved(paymentId, 3_000);
    const freed = await ledger.reserved(paymentId, 2_000);
    await each(paid, 'markUnknown', 'markUnknown');
    await each(freed, 'markUnknown');
    expect(await ledger.balance(paymentId)).toMatchObject({ reserved: 0, unknown: 5_000, remaining: 5_000 });
    await each(paid, 'markPaid', 'markPaid', 'markUnknown', 'release');
    await each(freed, 'release', 'release', 'markPaid');
    expect(await ledger.balance(paymentId)).toMatchObject({ unknown: 0, refunded: 3_000, remaining: 7_000 });
  });

  test('R36: a step that is told twice at once counts once', async () => {
    const paymentId = await ledger.adopted(10_000);
    const runId = await ledger.reserved(paymentId, 3_000);
    for (const step of ['markUnknown', 'markPaid'] as const) {
      await Promise.all(Array.from({ length: 10 }, () => each(runId, step)));
    }
    expect(await ledger.balance(paymentId)).toMatchObject({ refunded: 3_000, unknown: 0, reserved: 0 });
  });
});

describe('whose payment it is', () => {
  test('R38: of two tenants that claim a payment at once one gets it, and to the other it is unknown', async () => {
    for (let round = 0; round < 10; round += 1) {
      const payment = ledger.payment(10_000);
      const settled = await Promise.allSettled(
        ['acme', 'globex'].map((tenant) => ledger.in((unit) => unit.ledger.adopt(payment), tenant)),
      );
      expect(outcomes(settled).sort()).toEqual(['admitted', 'payment_unknown']);
    }
  });

  test("R38: another tenant's payment is neither seen nor held nor changed", async () => {
    const paymentId = await ledger.adopted(10_000);
    const foreign = await ledger.run(paymentId, 100, {}, 'globex');
    expect(await ledger.in((unit) => unit.ledger.find(paymentId), 'globex')).toBeUndefined();
    await expect(
      ledger.in((unit) => unit.ledger.reserve(foreign, paymentId, 100), 'globex'),
    ).rejects.toMatchObject({ code: 'payment_unknown' });
    expect((await ledger.balance(paymentId)).reserved).toBe(0);
  });

  test('R18: a refund that was made by hand at the provider is taken over into the balance', async () => {
    const payment = ledger.payment(10_000);
    await ledger.in((unit) => unit.ledger.adopt(payment));
    await ledger.reserved(payment.paymentId, 6_000);
    const balance = await ledger.in((unit) => unit.ledger.adopt({ ...payment, refundedElsewhere: 5_000 }));
    expect(balance).toMatchObject({ refunded: 5_000, reserved: 6_000, remaining: -1_000 });
  });
});

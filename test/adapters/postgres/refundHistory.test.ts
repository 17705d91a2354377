import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

const factsOf = (runId: string) => ledger.in((unit) => unit.history.factsOf(runId, Date.now()));

async function askedHoursAgo(runId: string, hours: number): Promise<void> {
  await ledger.rows(`update runs set created_at = now() - $2 * interval '1 hour' where run_id = $1`, [
    runId,
    hours,
  ]);
}

async function rejected(runId: string): Promise<void> {
  await ledger.in((unit) => unit.ledger.release(runId));
  await ledger.rows(
    `insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, opened_at, deadline)
     select $2, tenant, run_id, 'e', 'rejected', 'approvers', amount, currency, '{}', now(), now() from runs where run_id = $1`,
    [runId, runId.replace('run_', 'apr_')],
  );
}

describe('refunds that say that they are ours', () => {
  test('R18: count as made by hand unless our own journal has them: nobody pays beyond what was captured by copying our metadata', async () => {
    const payment = ledger.payment(10_000);
    await ledger.in((unit) => unit.ledger.adopt(payment));
    const runId = await ledger.reserved(payment.paymentId, 3_000);
    const key = `${runId}:issue_refund`;
    const remaining = (markedOurs: { id: string; runId: string; amount: number }[]) =>
      ledger.in(async (unit) => (await unit.ledger.adopt({ ...payment, markedOurs })).remaining);
    const foreign = { id: 're_copy', runId: 'run_nobody', amount: 2_000 };
    expect(await remaining([foreign])).toBe(5_000);
    // Held by the run already, whether or not its answer is on record.
    expect(await remaining([{ id: 're_own', runId, amount: 3_000 }])).toBe(7_000);
    const paid = { id: 're_own', paymentId: payment.paymentId, status: 'succeeded' } as const;
    await ledger.in((unit) =>
      unit.effects.recordRefund(key, runId, { ...paid, amount: { minor: 3_000, currency: 'USD' } }),
    );
    expect(await remaining([{ id: 're_own', runId, amount: 3_000 }])).toBe(7_000);
    // A second one of a run that has its own.
    expect(
      await remaining([
        { id: 're_own', runId, amount: 3_000 },
        { id: 're_twin', runId, amount: 500 },
      ]),
    ).toBe(6_500);
  });
});

describe("what is known of a refund's past", () => {
  test('a payment: what others hold or have moved, by hand too; what was freed does not count, what was rejected does apart', async () => {
    const paymentId = await ledger.adopted(100_000, {
      refundedElsewhere: 5_000,
      disputed: 70,
      paidAt: Date.now() - 50.5 * 3_600_000,
    });
    const [, unknown, paid, freed, no] = await Promise.all(
      [1, 20, 300, 4_000, 600].map((amount) => ledger.reserved(paymentId, amount)),
    );
    await ledger.in(async (unit) => {
      await unit.ledger.markUnknown(unknown ?? '');
      await unit.ledger.markPaid(paid ?? '');
      await unit.ledger.release(freed ?? '');
    });
    await rejected(no ?? '');
    const mine = await ledger.reserved(paymentId, 7);
    expect(await factsOf(mine)).toMatchObject({
      currency: 'USD',
      payment: { refunds: 3, refunded: 5_321, rejections: 1, ageHours: 50, disputed: 70 },
    });
  });

  test('a customer: over payments and currencies, the sum in its own; the last hour, day and 30 days by intake', async () => {
    const of = { customer: 'cus_past' };
    for (const hours of [0.5, 0.99, 1.01, 23, 25, 719, 721])
      await askedHoursAgo(await ledger.reserved(await ledger.adopted(1_000), 10, of), hours);
    const euros = await ledger.adopted(10_000, { currency: 'EUR' });
    const request = { paymentId: euros, amount: { minor: 4, currency: 'EUR' }, reason: 'damaged' } as const;
    await ledger.reserved(euros, 4, { ...of, request });
    await ledger.reserved(await ledger.adopted(1_000), 10, { customer: 'cus_another' });
    await rejected(await ledger.reserved(await ledger.adopted(1_000), 10, of));
    const mine = await ledger.reserved(await ledger.adopted(1_000), 10, of);
    expect((await factsOf(mine)).customer).toEqual({
      ...{ refunds: 8, refunded: 70, lastHour: 3, lastDay: 5, last30Days: 7, rejections: 1 },
    });
  });

  test('what is not known is absent, and no zero: whose payment it is, and where its refunds go', async () => {
    const facts = await factsOf(await ledger.reserved(await ledger.adopted(1_000), 10));
    expect(Object.keys(facts).sort()).toEqual(['currency', 'payment']);
    const known = await ledger.adopted(1_000, { refundedTo: 'other_method' });
    expect(await factsOf(await ledger.reserved(known, 10))).toMatchObject({ toOtherMethod: true });
    // Another reading that says nothing of it takes back nothing.
    await ledger.in((unit) => unit.ledger.adopt({ ...ledger.payment(1_000), paymentId: known }));
    expect(await factsOf(await ledger.reserved(known, 10))).toMatchObject({ toOtherMethod: true });
  });

  test("R38: another tenant's refunds of a customer of that name are nobody's past", async () => {
    const of = { customer: 'cus_both' };
    await ledger.reserved(await ledger.adopted(1_000, {}, 'globex'), 10, of, 'globex');
    const mine = await ledger.reserved(await ledger.adopted(1_000), 10, of);
    expect((await factsOf(mine)).customer).toMatchObject({ refunds: 0, refunded: 0, lastHour: 0 });
  });
});

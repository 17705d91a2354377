import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, historyOf, told } from './evidence';
import { behindOurBack, differencesOf, paid, reconciled, withoutEvents, withoutGrace } from './reconciling';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ env: withoutGrace });
  await withoutEvents(stack);
});
afterAll(() => stack.stop());

const service = () => stack.as('service');
const kinds = async (charge: string) =>
  (await differencesOf(stack, charge)).map(({ kind, status }) => [kind, status]);

describe('what a reconciliation finds', () => {
  test('nothing, where both sides agree; the same payment on several pages is compared once', async () => {
    const charge = await stack.provider.charge(20_000);
    await paid(stack, charge, '10.00');
    await paid(stack, charge, '20.00');
    const done = await reconciled(stack);
    expect(done).toMatchObject({
      state: 'finished',
      compared: 1,
      differences: 0,
      inFlight: 0,
      errorCode: null,
    });
    expect(await differencesOf(stack, charge)).toEqual([]);
    expect((await auditOf(stack, done.id)).map(({ actor, event }) => [actor, event])).toEqual([
      ['admin', 'reconciliation_started'],
      ['countersign', 'reconciliation_finished'],
    ]);
  });

  test('R18: a refund made by hand that no event told of: adopted into the balance, and noted once', async () => {
    const charge = await stack.provider.charge(20_000);
    await paid(stack, charge, '10.00');
    const byHand = await stack.provider.stripe.refunds.create({ charge, amount: 5_000 });
    await reconciled(stack);
    const found = await differencesOf(stack, charge);
    expect(found).toMatchObject([
      {
        kind: 'refund_by_hand',
        status: 'adopted',
        refundId: byHand.id,
        ours: null,
        theirs: { amount: '50.00 USD', status: 'succeeded' },
        explanation: expect.stringContaining('made at the provider without us'),
      },
    ]);
    const over = await service().startRefund({ paymentId: charge, amount: '140.01' });
    expect([over.status, over.body.code]).toEqual([422, 'exceeds_remaining']);
    await reconciled(stack);
    expect(await differencesOf(stack, charge)).toEqual(found);
  });

  test('R17: a refund that failed without a webhook: its run is reopened, and then the difference is gone', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId, refundId } = await paid(stack, charge, '12.00');
    await stack.provider.admin('POST', `refunds/${refundId}`, {
      status: 'failed',
      failureReason: 'lost_or_stolen_card',
    });
    const done = await reconciled(stack);
    expect(await differencesOf(stack, charge)).toMatchObject([
      { kind: 'status_differs', status: 'open', runId, refundId, reconciliationId: done.id },
    ]);
    expect(await told(stack, done.id, 'group:finance-lead')).toEqual(['differences_found']);
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 0, reserved: 0, unknown: 0 });
    expect(await told(stack, runId)).toEqual(['refund_completed', 'refund_failed_later']);

    await reconciled(stack);
    expect(await kinds(charge)).toEqual([['status_differs', 'gone']]);
  });

  test('R16: a refund that settled without a webhook: its run is told before it would have asked', async () => {
    const charge = await stack.provider.charge(20_000);
    await stack.provider.admin('POST', 'faults', {
      kind: 'refund_pending',
      match: { method: 'POST', payment: charge },
    });
    const { body } = await service().startRefund({ paymentId: charge, amount: '13.00' });
    const { runId } = body as { runId: string };
    await service().untilPhase(runId, 'settling');
    // It has asked so often that it asks again only after hours.
    const asked = async () =>
      (await historyOf(stack, runId)).filter(
        ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'checkRefund',
      ).length;
    await stack.temporal.skipTime('acme', runId);
    await until(async () => (await asked()) >= 14);
    await stack.temporal.skipTime('acme', runId, false);
    const [refund] = await stack.provider.refunds(charge);
    await stack.provider.admin('POST', `refunds/${refund?.id}`, { status: 'succeeded' });
    await reconciled(stack);
    expect(await kinds(charge)).toEqual([['status_differs', 'open']]);
    await service().untilPhase(runId, 'completed');
    await reconciled(stack);
    expect(await kinds(charge)).toEqual([['status_differs', 'gone']]);
  });

  test('a refund of ours that is not at the provider: one item however often it is found, closed when it is gone', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId, refundId } = await paid(stack, charge, '14.00');
    const lost = `re_lost_${refundId}`;
    await behindOurBack(stack, `update effects set provider_id = '${lost}' where run_id = '${runId}'`);
    const first = await reconciled(stack);
    const found = await differencesOf(stack, charge);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'refund_missing', status: 'open', refundId: lost, theirs: null }),
        expect.objectContaining({
          kind: 'refund_unrecorded',
          status: 'open',
          refundId,
          explanation: expect.stringContaining('may have been paid twice'),
        }),
      ]),
    );
    const second = await reconciled(stack);
    const again = await differencesOf(stack, charge);
    expect(again.map(({ id, firstSeenAt }) => [id, firstSeenAt])).toEqual(
      found.map(({ id, firstSeenAt }) => [id, firstSeenAt]),
    );
    expect(found.every((item) => item.reconciliationId === first.id)).toBe(true);
    expect(again.every((item) => item.reconciliationId === second.id)).toBe(true);

    await behindOurBack(stack, `update effects set provider_id = '${refundId}' where run_id = '${runId}'`);
    await reconciled(stack);
    expect((await kinds(charge)).map(([, status]) => status)).toEqual(['gone', 'gone']);
  });

  test('a call of ours that was deleted: the refund that it made is found by the run id in it', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId, refundId } = await paid(stack, charge, '15.00');
    await behindOurBack(stack, `delete from effects where run_id = '${runId}'`);
    await reconciled(stack);
    expect(await differencesOf(stack, charge)).toMatchObject([
      { kind: 'refund_unrecorded', status: 'open', refundId, runId, ours: null },
    ]);
  });

  test('a balance that was deleted: found by the runs that it belonged to', async () => {
    const charge = await stack.provider.charge(20_000);
    await paid(stack, charge, '16.00');
    await behindOurBack(stack, `delete from payments where payment_id = '${charge}'`);
    await reconciled(stack);
    expect(await differencesOf(stack, charge)).toMatchObject([
      { kind: 'balance_differs', status: 'open', ours: null, theirs: { refunded: '16.00 USD' } },
    ]);
  });

  test('a changed amount, a changed balance, and entries that do not add up to it', async () => {
    const [amount, balance, entries] = await Promise.all([1, 2, 3].map(() => stack.provider.charge(20_000)));
    const { runId } = await paid(stack, amount!, '17.00');
    await behindOurBack(
      stack,
      `update effects set request = jsonb_set(request::jsonb, '{1}', '1600')::text where run_id = '${runId}'`,
    );
    const other = await paid(stack, balance!, '18.00');
    await query(
      stack.database.adminUrl,
      `with run as (update runs set money = 'freed' where run_id = '${other.runId}')
       update payments set refunded = 0 where payment_id = '${balance}'`,
    );
    await paid(stack, entries!, '19.00');
    await behindOurBack(stack, `update payments set refunded = refunded + 1 where payment_id = '${entries}'`);
    await reconciled(stack);

    expect(await differencesOf(stack, amount!)).toMatchObject([
      {
        kind: 'amount_differs',
        status: 'open',
        ours: { amount: '16.00 USD' },
        theirs: { amount: '17.00 USD' },
      },
    ]);
    expect(await differencesOf(stack, balance!)).toMatchObject([
      {
        kind: 'balance_differs',
        status: 'open',
        ours: { refunded: '0.00 USD' },
        theirs: { refunded: '18.00 USD' },
      },
    ]);
    expect(await differencesOf(stack, entries!)).toMatchObject([
      {
        kind: 'ledger_differs',
        status: 'open',
        ours: expect.objectContaining({ 'refunded:balance': '19.01 USD', 'refunded:entries': '19.00 USD' }),
        theirs: null,
      },
    ]);
  });

  test('R6: a dispute that no event told of is taken from the balance', async () => {
    const charge = await stack.provider.charge(20_000);
    await paid(stack, charge, '20.00');
    await stack.provider.admin('POST', 'disputes', { charge, amount: 4_000 });
    await reconciled(stack);
    expect(await differencesOf(stack, charge)).toMatchObject([
      {
        kind: 'payment_changed',
        status: 'adopted',
        ours: { disputed: '0.00 USD' },
        theirs: { disputed: '40.00 USD' },
      },
    ]);
    const over = await service().startRefund({ paymentId: charge, amount: '140.01' });
    expect([over.status, over.body.code]).toEqual([422, 'payment_disputed']);
  });

  test('R38: the books of one tenant are compared for it alone, and refunds of payments that are nobody’s are left', async () => {
    const [ours, theirs, nobodys] = await Promise.all([1, 2, 3].map(() => stack.provider.charge(20_000)));
    await paid(stack, ours!, '21.00');
    await paid(stack, theirs!, '22.00', 'globex');
    for (const charge of [ours!, theirs!, nobodys!])
      await stack.provider.stripe.refunds.create({ charge, amount: 100 });
    await reconciled(stack);
    expect(await differencesOf(stack, ours!)).toMatchObject([{ kind: 'refund_by_hand' }]);
    expect([...(await differencesOf(stack, theirs!)), ...(await differencesOf(stack, nobodys!))]).toEqual([]);
    const done = await reconciled(stack, 'globex');
    expect(done.compared).toBe(1);
    expect(await differencesOf(stack, theirs!, 'globex')).toMatchObject([{ kind: 'refund_by_hand' }]);
    expect(await differencesOf(stack, ours!, 'globex')).toEqual([]);
    const own = await stack.as('service', 'globex').call('GET', '/v1/reconciliations');
    expect((own.body as { items: { id: string }[] }).items.map(({ id }) => id)).toEqual([done.id]);
  });
});

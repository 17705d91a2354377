import { StripePayments } from '../../../src/adapters/payments/stripe';
import { CountersignError } from '../../../src/domain/errors';
import { refundReasons } from '../../../src/domain/refund/request';
import { TestProvider } from '../../support/provider';

let provider: TestProvider;
let payments: StripePayments;
beforeAll(async () => {
  provider = await TestProvider.start();
  payments = new StripePayments({ apiKey: provider.key, apiBase: provider.url, account: 'main' });
});
afterAll(() => provider.stop());

const load = (paymentId: string) => payments.loadPayment(paymentId, 10_000);
let runs = 0;
function issue(paymentId: string, minor: number, currency = 'USD', more = {}) {
  runs += 1;
  const runId = `run_${runs}`;
  return payments.issueRefund({
    key: `${runId}:issue_refund`,
    runId,
    paymentId,
    amount: { minor, currency },
    reason: 'damaged',
    ...more,
  });
}

describe("the provider's own record of a payment", () => {
  test('R3: pi_ and ch_ of one payment are one payment', async () => {
    const charge = await provider.stripe.charges.retrieve(await provider.charge(5_000));
    const byIntent = await load(charge.payment_intent as string);
    expect(byIntent).toEqual(await load(charge.id));
    expect(byIntent).toEqual({
      account: 'main',
      paymentId: charge.id,
      currency: 'USD',
      captured: 5_000,
      refundedElsewhere: 0,
      markedOurs: [],
      disputed: 0,
      intent: charge.payment_intent,
      paidAt: charge.created * 1_000,
      refundedTo: 'same_method',
    });
  });

  test('R56: nothing of an authorization counts, and of a partial capture only what was captured', async () => {
    const authorized = await provider.charge(5_000, 'usd', { capture: false });
    expect(await load(authorized)).toMatchObject({ captured: 0 });
    await provider.stripe.charges.capture(authorized, { amount: 3_000 });
    expect(await load(authorized)).toMatchObject({ captured: 3_000 });
  });

  test('R18: refunds that are not ours count as made elsewhere; ours and failed ones do not', async () => {
    const charge = await provider.charge(10_000);
    await issue(charge, 1_000);
    await provider.stripe.refunds.create({ charge, amount: 200 });
    const failing = await provider.stripe.refunds.create({ charge, amount: 30 });
    expect(await load(charge)).toMatchObject({ captured: 10_000, refundedElsewhere: 230 });
    await provider.admin('POST', `refunds/${failing.id}`, { status: 'failed' });
    expect(await load(charge)).toMatchObject({ refundedElsewhere: 200 });
  });

  test('R18: also when there are more of them than fit on one page of the provider', async () => {
    const charge = await provider.charge(10_000);
    for (let i = 0; i < 103; i += 1) await provider.stripe.refunds.create({ charge, amount: 10 });
    expect(await load(charge)).toMatchObject({ refundedElsewhere: 1_030 });
  });

  test('R6: what is disputed counts until the dispute is won', async () => {
    const charge = await provider.charge(10_000);
    const dispute = (await provider.admin('POST', 'disputes', { charge, amount: 4_000 })) as { id: string };
    expect(await load(charge)).toMatchObject({ disputed: 4_000 });
    await provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });
    expect(await load(charge)).toMatchObject({ disputed: 0 });
  });

  test('R30: the customer is the one on record at the provider', async () => {
    const charge = await provider.charge(5_000, 'usd', { customer: 'cus_9' });
    expect(await load(charge)).toMatchObject({ customer: 'cus_9' });
  });

  test('R10: amounts of every kind of currency come back in minor units of its own', async () => {
    for (const [currency, provided, minor] of [
      ['jpy', 500, 500],
      ['kwd', 12_340, 12_340],
      ['huf', 50_000, 50_000],
      ['isk', 50_000, 500],
      ['ugx', 50_000, 500],
    ] as const) {
      const charge = await provider.charge(provided, currency);
      expect(await load(charge)).toMatchObject({ currency: currency.toUpperCase(), captured: minor });
    }
  });

  test('R12: the time for all calls together is bounded', async () => {
    const charge = await provider.charge(5_000);
    await provider.stripe.refunds.create({ charge, amount: 100 });
    await provider.admin('POST', 'faults', { kind: 'latency', ms: 1_500, match: { path: '/v1/refunds*' } });
    await expect(payments.loadPayment(charge, 300)).rejects.toMatchObject({ code: 'provider_unknown' });
  });

  test('R38: no payment of that id looks like nothing else, and tells nothing of the provider', async () => {
    for (const id of ['ch_none', 'pi_none', 'ch_../refunds', 'py_1']) {
      const failure = await load(id).catch((error: unknown) => error);
      expect(failure).toEqual(new CountersignError('payment_unknown'));
      expect((failure as CountersignError).details).toEqual({});
    }
  });
});

describe('a refund', () => {
  test('R1: the same key makes one refund, which carries our run and our reason', async () => {
    const charge = await provider.charge(5_000);
    const one = { key: 'run_x:issue_refund', runId: 'run_x', paymentId: charge } as const;
    const refund = { ...one, amount: { minor: 700, currency: 'USD' }, reason: 'goodwill' } as const;
    const first = await payments.issueRefund(refund);
    expect(await payments.issueRefund(refund)).toEqual(first);
    expect(first).toMatchObject({
      status: 'succeeded',
      amount: { minor: 700, currency: 'USD' },
      runId: 'run_x',
    });
    const [made, ...more] = await provider.refunds(charge);
    expect(more).toEqual([]);
    expect(made).toMatchObject({ amount: 700, metadata: { countersign_reason: 'goodwill' } });
  });

  test('R2: two refunds of one amount on one payment are two', async () => {
    const charge = await provider.charge(5_000);
    const [first, second] = [await issue(charge, 700), await issue(charge, 700)];
    expect((await provider.refunds(charge)).map((r) => r.id).sort()).toEqual([first.id, second.id].sort());
  });

  test.each(refundReasons)(
    'reason %s reaches the provider as itself or as the mildest of its own',
    async (reason) => {
      const charge = await provider.charge(5_000);
      await issue(charge, 100, 'USD', { reason });
      const [made] = await provider.refunds(charge);
      const its = ['duplicate', 'fraudulent', 'requested_by_customer'];
      expect(made?.reason).toBe(its.includes(reason) ? reason : 'requested_by_customer');
    },
  );

  test('R15: found again by payment and key, among others and never as theirs', async () => {
    const charge = await provider.charge(5_000);
    await provider.stripe.refunds.create({ charge, amount: 100 });
    const made = await issue(charge, 100);
    const [, ours] = (await provider.refunds(charge)).reverse();
    const key = ours?.metadata?.['countersign_key'] ?? '';
    expect(key).toMatch(/:issue_refund$/);
    expect(await payments.findRefund(charge, key)).toEqual(made);
    expect(await payments.getRefund(made.id)).toEqual(made);
    expect(await payments.findRefund(charge, 'run_of_nobody:issue_refund')).toBeUndefined();
  });

  test('R16: pending stays pending until the provider says otherwise, and a failure has its reason', async () => {
    const charge = await provider.charge(5_000);
    await provider.admin('POST', 'faults', { kind: 'refund_pending', match: { payment: charge } });
    const made = await issue(charge, 100);
    expect(made.status).toBe('pending');
    await provider.admin('POST', `refunds/${made.id}`, {
      status: 'failed',
      failureReason: 'lost_or_stolen_card',
    });
    expect(await payments.getRefund(made.id)).toMatchObject({
      status: 'failed',
      failureReason: 'lost_or_stolen_card',
    });
  });

  test('R10: the amount is sent as the provider counts this currency', async () => {
    const charge = await provider.charge(50_000, 'isk');
    expect(await issue(charge, 300, 'ISK')).toMatchObject({ amount: { minor: 300, currency: 'ISK' } });
    expect(await provider.refunds(charge)).toMatchObject([{ amount: 30_000 }]);
  });
});

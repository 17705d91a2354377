import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { StripePayments } from '../../../src/adapters/payments/stripe';
import type { IssueRefund } from '../../../src/ports/payments';
import { claimPort } from '../../../src/sandbox/embedded/freePort';

/**
 * The adapter against `stripe-stateful-mock`, an emulator that others wrote, as it comes from npm and in a process of
 * its own: what both it and our own sandbox agree on can't be a mistake of ours alone. It knows no payment intents of
 * refunds, no pending states and no webhooks; those are held against the provider's published API elsewhere.
 */
let emulator: ChildProcess;
let stripe: Stripe;
let payments: StripePayments;
let baseUrl: string;

beforeAll(async () => {
  const port = await claimPort();
  emulator = spawn(process.execPath, [require.resolve('stripe-stateful-mock/dist/cli.js')], {
    env: { PATH: process.env['PATH'], PORT: String(port), LOG_LEVEL: 'silent' },
    stdio: 'ignore',
  });
  const key = 'sk_test_of_the_emulator';
  stripe = new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
  baseUrl = `http://127.0.0.1:${port}`;
  payments = new StripePayments({ apiKey: key, apiBase: baseUrl, account: 'main' });
  for (let up = false; !up;) {
    if (emulator.exitCode !== null) throw new Error('the emulator ended at once');
    up = await stripe.charges.list({ limit: 1 }).then(
      () => true,
      () => pause(50, false),
    );
  }
});
afterAll(async () => {
  const gone = once(emulator, 'exit');
  emulator.kill();
  await gone;
});

const charge = async (amount: number, more: Partial<Stripe.ChargeCreateParams> = {}) =>
  (await stripe.charges.create({ amount, currency: 'usd', source: 'tok_visa', ...more })).id;
const refundsOf = async (id: string) => (await stripe.refunds.list({ charge: id, limit: 100 })).data;

let runs = 0;
function refundOf(paymentId: string, minor: number): IssueRefund {
  runs += 1;
  const runId = `run_${runs}`;
  const key = `${runId}:issue_refund`;
  return { key, runId, paymentId, amount: { minor, currency: 'USD' }, reason: 'damaged' };
}

describe('the adapter at an emulator that others wrote', () => {
  test('R1: a refund is made, carries our run and key, and is read back the same', async () => {
    const id = await charge(5_000);
    const refund = refundOf(id, 700);
    const made = await payments.issueRefund(refund);
    expect(made).toMatchObject({
      ...{ paymentId: id, status: 'succeeded', runId: refund.runId },
      amount: { minor: 700, currency: 'USD' },
    });
    expect(await payments.getRefund(made.id)).toEqual(made);
    expect(await refundsOf(id)).toMatchObject([
      { amount: 700, metadata: { countersign_run_id: refund.runId, countersign_key: refund.key } },
    ]);
  });

  test('R1, R2: the same key is the same refund; another key for the same amount is another one', async () => {
    const id = await charge(5_000);
    const refund = refundOf(id, 700);
    const made = await payments.issueRefund(refund);
    for (let n = 0; n < 3; n += 1) expect(await payments.issueRefund(refund)).toEqual(made);
    expect(await refundsOf(id)).toHaveLength(1);
    const second = await payments.issueRefund(refundOf(id, 700));
    expect((await refundsOf(id)).map((one) => one.id).sort()).toEqual([made.id, second.id].sort());
  });

  test('R4, R14: the same key with another amount is refused, and a person is asked', async () => {
    const id = await charge(5_000);
    const refund = refundOf(id, 700);
    await payments.issueRefund(refund);
    const changed = payments.issueRefund({ ...refund, amount: { minor: 701, currency: 'USD' } });
    await expect(changed).rejects.toMatchObject({ code: 'provider_key_reused', retry: 'ask_person' });
    expect(await refundsOf(id)).toHaveLength(1);
  });

  test('R6, R9: the exact remainder passes, one cent more is refused', async () => {
    const id = await charge(5_000);
    await payments.issueRefund(refundOf(id, 4_000));
    await expect(payments.issueRefund(refundOf(id, 1_001))).rejects.toMatchObject({
      code: 'provider_refused',
      retry: 'fail',
    });
    await payments.issueRefund(refundOf(id, 1_000));
    await expect(payments.issueRefund(refundOf(id, 1))).rejects.toMatchObject({
      code: 'provider_already_refunded',
    });
    expect((await refundsOf(id)).reduce((sum, { amount }) => sum + amount, 0)).toBe(5_000);
  });

  test('R5, R15: found by payment and key, never as somebody else’s', async () => {
    const id = await charge(5_000);
    await stripe.refunds.create({ charge: id, amount: 100 });
    const refund = refundOf(id, 100);
    const made = await payments.issueRefund(refund);
    expect(await payments.findRefund(id, refund.key)).toEqual(made);
    expect(await payments.findRefund(id, 'run_of_nobody:issue_refund')).toBeUndefined();
    expect(await payments.findRefund(await charge(5_000), refund.key)).toBeUndefined();
  });

  test('R18, R56: the payment as it is on record: captured, refunded by hand, customer', async () => {
    const id = await charge(5_000);
    await payments.issueRefund(refundOf(id, 300));
    await stripe.refunds.create({ charge: id, amount: 200 });
    expect(await payments.loadPayment(id, 10_000)).toMatchObject({
      ...{ paymentId: id, currency: 'USD', captured: 5_000, refundedElsewhere: 200, disputed: 0 },
    });
    expect(await payments.loadPayment(await charge(5_000, { capture: false }), 10_000)).toMatchObject({
      captured: 0,
    });
  });

  test('R14: no such payment, and a key that is not accepted', async () => {
    await expect(payments.loadPayment('ch_nothing', 10_000)).rejects.toMatchObject({
      code: 'payment_unknown',
    });
    await expect(payments.issueRefund(refundOf('ch_nothing', 1))).rejects.toMatchObject({
      code: 'payment_unknown',
    });
    const stranger = new StripePayments({ apiKey: 'rk_of_nobody', apiBase: baseUrl, account: 'main' });
    await expect(stranger.loadPayment(await charge(5_000), 10_000)).rejects.toMatchObject({
      code: 'provider_authentication',
      retry: 'ask_person',
    });
    await expect(payments.getRefund('re_nothing')).rejects.toMatchObject({ code: 'payment_unknown' });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StripePayments } from '../../../src/adapters/payments/stripe';
import { makeCharge } from '../../../src/cli/sandboxCharge';
import { readSettings } from '../../../src/main/settings';
import { registerWebhooks } from '../../../src/main/up/webhookEndpoint';
import type { Plan } from '../../../src/main/up/plan';
import type { IssueRefund } from '../../../src/ports/payments';
import { openDataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { LossyProxy, type Which } from '../../support/lossyProxy';
import { TestProvider } from '../../support/provider';

/** Every call that we make, in turn: the provider has carried it out, and its answer is dropped on the way. */
let provider: TestProvider;
let proxy: LossyProxy;
let direct: StripePayments;
let lossy: StripePayments;
beforeAll(async () => {
  provider = await TestProvider.start();
  proxy = await LossyProxy.start(provider.url);
  const settings = { apiKey: provider.key, account: 'main' };
  direct = new StripePayments({ ...settings, apiBase: provider.url });
  lossy = new StripePayments({ ...settings, apiBase: proxy.url });
});
afterEach(() => {
  // A drop that never came to be would prove nothing.
  expect(proxy.reset()).toBe(0);
});
afterAll(async () => {
  await proxy.stop();
  await provider.stop();
});

const to =
  (method: string, path: RegExp): Which =>
  (call) =>
    call.method === method && path.test(call.path);

interface Stand {
  readonly charge: string;
  readonly intent: string;
  readonly refundId: string;
  readonly refund: IssueRefund;
}

let runs = 0;
/** A payment that has a refund of ours, one by hand, and a dispute that was won, so that loading it asks for all of them. */
async function stand(): Promise<Stand> {
  runs += 1;
  const charge = await provider.charge(10_000);
  const { payment_intent: intent } = await provider.stripe.charges.retrieve(charge);
  const refund: IssueRefund = {
    key: `run_${runs}:issue_refund`,
    runId: `run_${runs}`,
    paymentId: charge,
    amount: { minor: 700, currency: 'USD' },
    reason: 'damaged',
  };
  await provider.stripe.refunds.create({ charge, amount: 200 });
  const { id } = (await provider.admin('POST', 'disputes', { charge, amount: 4_000 })) as { id: string };
  await provider.admin('POST', `disputes/${id}/close`, { outcome: 'won' });
  const { id: refundId } = await direct.issueRefund(refund);
  return { charge, intent: intent as string, refundId, refund };
}

const reads: [string, Which, (payments: StripePayments, on: Stand) => Promise<unknown>][] = [
  [
    'loading a payment: the charge',
    to('GET', /^\/v1\/charges\/ch_/),
    (payments, { charge }) => payments.loadPayment(charge, 10_000),
  ],
  [
    'loading a payment: its intent',
    to('GET', /^\/v1\/payment_intents\/pi_/),
    (payments, { intent }) => payments.loadPayment(intent, 10_000),
  ],
  [
    'loading a payment: its refunds',
    to('GET', /^\/v1\/refunds$/),
    (payments, { charge }) => payments.loadPayment(charge, 10_000),
  ],
  [
    'loading a payment: its disputes',
    to('GET', /^\/v1\/disputes$/),
    (payments, { charge }) => payments.loadPayment(charge, 10_000),
  ],
  [
    'asking for a refund',
    to('GET', /^\/v1\/refunds\/re_/),
    (payments, { refundId }) => payments.getRefund(refundId),
  ],
  [
    'looking for a refund by payment and metadata',
    to('GET', /^\/v1\/refunds$/),
    (payments, { charge, refund }) => payments.findRefund(charge, refund.key),
  ],
];

describe('answers that are dropped after the provider has done its work', () => {
  test.each(reads)('R12: %s: unknown, then right, and nothing is moved', async (_name, which, read) => {
    const on = await stand();
    const before = await provider.refunds(on.charge);
    const right = await read(direct, on);
    // The SDK reads once more by itself where a connection was closed on it.
    proxy.drop(which, 1);
    expect(await read(lossy, on)).toEqual(right);
    expect(proxy.calls.filter(which).map(({ dropped }) => dropped)).toEqual([true, false]);
    proxy.drop(which, 2);
    await expect(read(lossy, on)).rejects.toMatchObject({ code: 'provider_unknown', retry: 'look_up' });
    expect(await read(lossy, on)).toEqual(right);
    expect(await provider.refunds(on.charge)).toEqual(before);
  });

  test('R12, R13: making a refund: unknown, sent once a call, and the same key finds the one refund', async () => {
    const charge = await provider.charge(10_000);
    const { refund } = await stand();
    const issue = { ...refund, key: 'run_lost:issue_refund', runId: 'run_lost', paymentId: charge };
    const which = to('POST', /^\/v1\/refunds$/);
    proxy.drop(which, 3);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await expect(lossy.issueRefund(issue)).rejects.toMatchObject({
        code: 'provider_unknown',
        retry: 'look_up',
      });
      expect(proxy.calls.filter(which)).toHaveLength(attempt);
    }
    const made = await lossy.issueRefund(issue);
    expect(await provider.refunds(charge)).toMatchObject([{ id: made.id, amount: 700 }]);
    expect(await lossy.findRefund(charge, issue.key)).toEqual(made);
    expect(new Set(proxy.calls.filter(which).map(({ idempotencyKey }) => idempotencyKey))).toEqual(
      new Set([issue.key]),
    );
  });

  test('R12: making a payment to try things: one payment, under one key', async () => {
    const which = to('POST', /^\/v1\/charges$/);
    proxy.drop(which, 2);
    const settings = readSettings({ STRIPE_API_BASE: proxy.url, STRIPE_API_KEY: provider.key });
    const { charge } = await makeCharge(settings, { amount: '5', currency: 'USD', customer: 'cus_lossy' });
    const made = await provider.stripe.charges.list({ customer: 'cus_lossy' });
    expect(made.data.map(({ id }) => id)).toEqual([charge.id]);
    expect(new Set(proxy.calls.filter(which).map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });

  test('R18: registering where events go: one endpoint, also when every attempt of one start is lost', async () => {
    const path = mkdtempSync(join(tmpdir(), 'countersign-endpoint-'));
    const folder = await openDataFolder(path);
    try {
      const plan = {
        providerUrl: proxy.url,
        providerKey: provider.key,
        apiUrl: 'http://127.0.0.1:1',
      } as Plan;
      const which = to('POST', /^\/v1\/webhook_endpoints/);
      proxy.drop(which, 6);
      let lost = 0;
      let secret: string | undefined;
      // The SDK sends a few times by itself; a start whose every attempt is lost fails, and the next one goes on.
      while (secret === undefined) {
        secret = await registerWebhooks(plan, folder).catch(() => {
          lost += 1;
          return undefined;
        });
      }
      expect(lost).toBeGreaterThan(0);
      const { data } = await provider.stripe.webhookEndpoints.list();
      expect(data.map(({ url }) => url)).toEqual(['http://127.0.0.1:1/v1/webhooks/stripe']);
      expect(await registerWebhooks(plan, folder)).toBe(secret);
      expect((await provider.stripe.webhookEndpoints.list()).data).toHaveLength(1);
    } finally {
      folder.release();
      rmSync(path, { recursive: true });
    }
  });
});

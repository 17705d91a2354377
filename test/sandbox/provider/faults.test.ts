import Stripe from 'stripe';
import { ProviderFixture, refusal } from './providerFixture';

let provider: ProviderFixture;
beforeAll(async () => {
  provider = await ProviderFixture.start();
});
afterAll(() => provider.stop());
afterEach(() => provider.admin('DELETE', '/faults'));

/** The official client sends once more by itself after a closed connection, also with its retries off. */
const sdkAttempts = 2;

describe('lost answers', () => {
  it('an answer lost after commit leaves one refund, which the same key finds', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-cut:issue_refund' };
    await provider.fault('cut_after_commit', {
      times: sdkAttempts,
      match: { method: 'POST', path: '/v1/refunds' },
    });
    const lost = await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 400 }, options));
    expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    const committed = await provider.stripe.refunds.list({ charge: charge.id });
    expect(committed.data).toHaveLength(1);
    const found = await provider.stripe.refunds.create({ charge: charge.id, amount: 400 }, options);
    expect(found.id).toBe(committed.data[0]?.id);
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1, refunded: 400 });
    const { counts, items } = await provider.requests('idempotency_key=run-cut:issue_refund');
    expect(counts).toMatchObject({ total: 3, cut: 2, replayed: 2, succeeded: 1 });
    expect(items[0]).toMatchObject({ status: 200, answered: false, faults: ['cut_after_commit'] });
  });

  it('a single cut is healed by the client itself, with a replay', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('cut_after_commit', { match: { payment: charge.id } });
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 400 });
    expect(refund.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1 });
  });

  it('a request cut before it is looked at does nothing', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('cut_before', { times: sdkAttempts, match: { payment: charge.id } });
    const options = { idempotencyKey: 'run-cut-before' };
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id }, options))).toBeInstanceOf(
      Stripe.errors.StripeConnectionError,
    );
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 0, amountRefunded: 0 });
    const refund = await provider.stripe.refunds.create({ charge: charge.id }, options);
    expect(refund.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('refused calls', () => {
  it('a 500 is replayed under its key, with or without the effect behind it', async () => {
    const charge = await provider.charge(1_000);
    for (const [key, afterEffect, refunds] of [
      ['run-500', false, 0],
      ['run-500-after', true, 1],
    ] as const) {
      await provider.fault('status_500', { afterEffect, match: { idempotencyKey: key } });
      const call = () =>
        refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, { idempotencyKey: key }));
      expect(await call()).toMatchObject({ statusCode: 500 });
      const again = await call();
      expect(again).toMatchObject({ statusCode: 500 });
      expect(again.headers?.['idempotent-replayed']).toBe('true');
      expect(await provider.money(charge.id)).toMatchObject({ refunds });
    }
  });

  it('429 and 409 in flight use no key up; Retry-After is there only when asked for', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-429' };
    const call = () => provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options);
    await provider.fault('status_429', { retryAfterSeconds: 3, match: { payment: charge.id } });
    const limited = await refusal(call());
    expect(limited).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(limited.headers?.['retry-after']).toBe('3');
    await provider.fault('status_429', { code: 'lock_timeout', match: { payment: charge.id } });
    const locked = await refusal(call());
    expect(locked).toMatchObject({ statusCode: 429, code: 'lock_timeout' });
    expect(locked.headers?.['retry-after']).toBeUndefined();
    await provider.fault('in_flight_409', { match: { payment: charge.id } });
    expect(await refusal(call())).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect((await call()).lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1 });
  });

  it('refuses for want of balance, and can leave the refund pending instead', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('insufficient_balance', { match: { payment: charge.id } });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 100 }))).toMatchObject({
      code: 'balance_insufficient',
    });
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 0, amountRefunded: 0 });
    await provider.fault('insufficient_balance', { as: 'pending', match: { payment: charge.id } });
    expect(await provider.stripe.refunds.create({ charge: charge.id, amount: 100 })).toMatchObject({
      status: 'pending',
      pending_reason: 'insufficient_funds',
    });
  });
});

describe('refunds that are not done at once', () => {
  it('stays pending until it is settled, and holds its amount meanwhile', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('refund_pending', { match: { payment: charge.id } });
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 1_000 });
    expect(refund.status).toBe('pending');
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 1 }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    await provider.admin('POST', `/refunds/${refund.id}`, { status: 'succeeded' });
    expect(await provider.stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'succeeded' });
    await expect(provider.admin('POST', `/refunds/${refund.id}`, { status: 'pending' })).rejects.toThrow(
      '400',
    );
  });

  it('a refund that succeeded can fail later by itself and gives its amount back once', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('refund_fails_later', {
      afterMs: 30,
      failureReason: 'expired_or_canceled_card',
      match: { payment: charge.id },
    });
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 1_000 });
    expect(refund.status).toBe('succeeded');
    let now = refund as Stripe.Refund;
    while (now.status === 'succeeded') now = await provider.stripe.refunds.retrieve(refund.id);
    expect(now).toMatchObject({ status: 'failed', failure_reason: 'expired_or_canceled_card' });
    expect(await provider.money(charge.id)).toMatchObject({
      refunds: 1,
      standingRefunds: 0,
      refunded: 0,
      amountRefunded: 0,
    });
    expect(
      (await provider.stripe.events.list({ type: 'refund.failed' })).data.map((event) => event.data.object),
    ).toEqual([expect.objectContaining({ id: refund.id, status: 'failed' })]);
    expect(await provider.stripe.refunds.create({ charge: charge.id })).toMatchObject({
      amount: 1_000,
      status: 'succeeded',
    });
  });
});

describe('choosing the calls', () => {
  it('hits the next so many matching calls and counts them', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('status_429', { times: 2, match: { method: 'GET', path: '/v1/charges/*' } });
    await provider.stripe.refunds.list({ charge: charge.id });
    for (let n = 0; n < 2; n += 1)
      expect(await refusal(provider.stripe.charges.retrieve(charge.id))).toMatchObject({ statusCode: 429 });
    expect((await provider.stripe.charges.retrieve(charge.id)).id).toBe(charge.id);
    expect(await provider.admin('GET', '/faults')).toMatchObject({
      items: [{ kind: 'status_429', hits: 2, times: 0, active: false }],
    });
  });

  it('throws the same dice for the same seed', async () => {
    const charge = await provider.charge(1_000);
    const round = async (seed: string): Promise<string> => {
      await provider.fault('status_429', { probability: 0.5, seed });
      let hits = '';
      for (let n = 0; n < 24; n += 1) {
        const call = provider.stripe.charges.retrieve(charge.id);
        hits += await call.then(
          () => '.',
          () => 'x',
        );
      }
      await provider.admin('DELETE', '/faults');
      return hits;
    };
    const first = await round('seed-1');
    expect(await round('seed-1')).toBe(first);
    expect(await round('seed-2')).not.toBe(first);
    expect(first).toMatch(/x.*\.|\..*x/);
  });

  it('refuses a fault that it does not know', async () => {
    await expect(provider.fault('set_on_fire')).rejects.toThrow('400');
    await expect(provider.fault('latency', { seconds: 5 })).rejects.toThrow('400');
  });
});

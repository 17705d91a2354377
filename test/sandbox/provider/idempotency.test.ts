import Stripe from 'stripe';
import { ProviderFixture, keys, refusal } from './providerFixture';

let provider: ProviderFixture;
beforeAll(async () => {
  provider = await ProviderFixture.start();
});
afterAll(() => provider.stop());

const day = 24 * 60 * 60 * 1_000;

describe('idempotency keys', () => {
  it('a repeated key replays the stored answer and pays nothing more', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-replay:issue_refund' };
    const first = await provider.stripe.refunds.create(
      { charge: charge.id, amount: 400, metadata: { runId: 'a', step: 'b' } },
      options,
    );
    const again = await provider.stripe.refunds.create(
      { metadata: { step: 'b', runId: 'a' }, amount: 400, charge: charge.id },
      options,
    );
    expect(again.id).toBe(first.id);
    expect(first.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(again.lastResponse.headers['original-request']).toBe(first.lastResponse.requestId);
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1, refunded: 400 });
    expect((await provider.requests('idempotency_key=run-replay:issue_refund')).counts).toMatchObject({
      total: 2,
      replayed: 1,
      succeeded: 1,
    });
  });

  it('two keys for the same amount on one payment both pay', async () => {
    const charge = await provider.charge(1_000);
    for (const idempotencyKey of ['run-1:issue_refund', 'run-2:issue_refund', 'run-1:issue_refund']) {
      await provider.stripe.refunds.create({ charge: charge.id, amount: 500 }, { idempotencyKey });
    }
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 2, refunded: 1_000 });
  });

  it('refuses a key with other parameters or another address', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-mismatch' };
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 400 }, options);
    const other = await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 401 }, options));
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(other).toMatchObject({ statusCode: 400 });
    expect(
      await refusal(provider.stripe.refunds.update(refund.id, { metadata: { a: '1' } }, options)),
    ).toMatchObject({ statusCode: 400 });
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1, refunded: 400 });
  });

  it('the same key in another account is another key', async () => {
    const options = { idempotencyKey: 'shared-key' };
    const ours = await provider.stripe.charges.create(
      { amount: 100, currency: 'usd', source: 'tok_visa' },
      options,
    );
    const theirs = await provider
      .clientOf(keys.globex)
      .charges.create({ amount: 900, currency: 'eur', source: 'tok_visa' }, options);
    expect(theirs.id).not.toBe(ours.id);
    expect(theirs.amount).toBe(900);
  });

  it('replays a refusal that came after execution began, although it would now succeed', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('requires_action', { match: { payment: charge.id } });
    const blocking = await provider.stripe.refunds.create({ charge: charge.id });
    const options = { idempotencyKey: 'run-refused' };
    const refused = await refusal(
      provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options),
    );
    await provider.stripe.refunds.cancel(blocking.id);
    const again = await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options));
    expect(again.message).toBe(refused.message);
    expect(again.headers?.['idempotent-replayed']).toBe('true');
    expect(await provider.stripe.refunds.create({ charge: charge.id, amount: 100 })).toMatchObject({
      status: 'succeeded',
    });
  });

  it('answers 409 while a request with the same key is in progress, and executes it once', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('latency', { ms: 150, match: { idempotencyKey: 'run-concurrent' } });
    const attempts = await Promise.allSettled(
      Array.from({ length: 5 }, () =>
        provider.stripe.refunds.create(
          { charge: charge.id, amount: 100 },
          { idempotencyKey: 'run-concurrent' },
        ),
      ),
    );
    const refused = attempts.filter((attempt) => attempt.status === 'rejected');
    expect(refused).toHaveLength(4);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1, refunded: 100 });
    const after = await provider.stripe.refunds.create(
      { charge: charge.id, amount: 100 },
      { idempotencyKey: 'run-concurrent' },
    );
    expect(after.lastResponse.headers['idempotent-replayed']).toBe('true');
  });

  it('forgets a key after its time, so that the same key then pays again', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-old' };
    const refund = () => provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options);
    const first = await refund();
    const start = Date.now();
    provider.setClock(() => start + day - 60_000);
    expect((await refund()).id).toBe(first.id);
    provider.setClock(() => start + day + 60_000);
    expect((await refund()).id).not.toBe(first.id);
    provider.setClock(Date.now);
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 2, refunded: 200 });
  });

  it('forgets a key when the sandbox is told to', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-forgotten' };
    const first = await provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options);
    expect(await provider.admin('DELETE', '/idempotency_keys?key=run-forgotten')).toEqual({ forgotten: 1 });
    expect((await provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options)).id).not.toBe(
      first.id,
    );
  });

  it('a restarted provider keeps payments, refunds, keys, faults and its log', async () => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: 'run-restart' };
    const first = await provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options);
    await provider.fault('status_429', { retryAfterSeconds: 7, match: { payment: charge.id } });
    const { counts } = await provider.requests();
    await provider.restart();
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 1 }))).toMatchObject({
      statusCode: 429,
    });
    expect((await provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, options)).id).toBe(
      first.id,
    );
    expect((await provider.stripe.charges.retrieve(charge.id)).amount_refunded).toBe(100);
    expect((await provider.requests()).counts.total).toBe(counts.total + 3);
  });

  it('database connections that break in mid-refund lose nothing and pay nothing twice', async () => {
    const charge = await provider.charge(10_000);
    let paid = 0;
    let repeated = 0;
    const refund = async (idempotencyKey: string): Promise<void> => {
      for (;;) {
        try {
          await provider.stripe.refunds.create({ charge: charge.id, amount: 100 }, { idempotencyKey });
          paid += 1;
          if (paid % 10 === 0 && paid < 60) await provider.breakDatabaseConnections();
          return;
        } catch (error) {
          // A 500 here says nothing about the outcome: the same key finds it.
          if (!(error instanceof Stripe.errors.StripeAPIError)) throw error;
          repeated += 1;
        }
      }
    };
    const keysToPay = Array.from({ length: 80 }, (_, n) => `run-broken-${String(n)}`);
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        for (const key of keysToPay.filter((_key, n) => n % 8 === lane)) await refund(key);
      }),
    );
    expect(repeated).toBeGreaterThan(0);
    expect(await provider.money(charge.id)).toMatchObject({
      refunds: 80,
      refunded: 8_000,
      amountRefunded: 8_000,
    });
    provider.errors.length = 0;
  });
});

import Stripe from 'stripe';
import { ProviderFixture, intentOf, keys, refusal } from './providerFixture';

let provider: ProviderFixture;
beforeAll(async () => {
  provider = await ProviderFixture.start();
});
afterAll(() => provider.stop());

describe('payments', () => {
  it('makes a charge with its payment intent, in minor units', async () => {
    const charge = await provider.charge(12_000, {
      metadata: { order: 'A-1' },
      customer: 'cus_1',
      description: 'lamp',
    });
    expect(charge).toMatchObject({
      object: 'charge',
      amount: 12_000,
      amount_captured: 12_000,
      amount_refunded: 0,
      captured: true,
      refunded: false,
      disputed: false,
      currency: 'usd',
      customer: 'cus_1',
      metadata: { order: 'A-1' },
      livemode: false,
    });
    const intent = await provider.stripe.paymentIntents.retrieve(intentOf(charge));
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 12_000, latest_charge: charge.id });
  });

  it('captures a part of an authorization once and releases the rest', async () => {
    const charge = await provider.charge(1_000, { capture: false });
    expect(charge).toMatchObject({ captured: false, amount_captured: 0 });
    const captured = await provider.stripe.charges.capture(charge.id, { amount: 700 });
    expect(captured).toMatchObject({
      captured: true,
      amount: 1_000,
      amount_captured: 700,
      amount_refunded: 0,
    });
    expect(await refusal(provider.stripe.charges.capture(charge.id))).toMatchObject({
      code: 'charge_already_captured',
    });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 701 }))).toMatchObject({
      param: 'amount',
    });
    expect(await provider.stripe.refunds.create({ charge: charge.id, amount: 700 })).toMatchObject({
      amount: 700,
    });
  });

  it('refuses to refund what was not captured or was voided', async () => {
    const charge = await provider.charge(1_000, { capture: false });
    const intent = intentOf(charge);
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id }))).toMatchObject({
      code: 'charge_not_refundable',
    });
    expect(
      await refusal(provider.stripe.refunds.create({ payment_intent: intent, amount: 1 })),
    ).toMatchObject({ statusCode: 400 });
    expect(await provider.stripe.paymentIntents.cancel(intent)).toMatchObject({ status: 'canceled' });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id }))).toMatchObject({
      code: 'charge_not_refundable',
    });
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 0, amountRefunded: 0 });
  });

  it('declines the test token that declines', async () => {
    expect(await refusal(provider.charge(100, { source: 'tok_chargeDeclined' }))).toMatchObject({
      statusCode: 402,
      code: 'card_declined',
    });
  });

  it('lets the age of a payment be set, for refund windows', async () => {
    const charge = await provider.charge(500);
    await provider.admin('POST', `/charges/${charge.id}`, { created: 1_600_000_000 });
    expect((await provider.stripe.charges.retrieve(charge.id)).created).toBe(1_600_000_000);
  });
});

describe('refunds', () => {
  it('refunds a part and then exactly the rest; one unit more is refused', async () => {
    const charge = await provider.charge(12_000);
    const part = await provider.stripe.refunds.create({
      charge: charge.id,
      amount: 4_900,
      reason: 'requested_by_customer',
      metadata: { runId: 'run-1' },
    });
    expect(part).toMatchObject({
      object: 'refund',
      amount: 4_900,
      status: 'succeeded',
      charge: charge.id,
      metadata: { runId: 'run-1' },
    });
    const tooMuch = await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 7_101 }));
    expect(tooMuch).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(tooMuch.message).toContain(
      'Refund amount ($71.01) is greater than unrefunded amount on charge ($71.00)',
    );
    const rest = await provider.stripe.refunds.create({ charge: charge.id });
    expect(rest.amount).toBe(7_100);
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 1 }))).toMatchObject({
      code: 'charge_already_refunded',
    });
    const now = await provider.stripe.charges.retrieve(charge.id, { expand: ['refunds'] });
    expect(now).toMatchObject({ amount_refunded: 12_000, refunded: true });
    expect(now.refunds?.data.map((refund) => refund.amount)).toEqual([7_100, 4_900]);
  });

  it('refunds on a payment intent from the same balance as on its charge', async () => {
    const charge = await provider.charge(1_000);
    const payment_intent = intentOf(charge);
    expect(await provider.stripe.refunds.create({ payment_intent, amount: 600 })).toMatchObject({
      charge: charge.id,
      payment_intent,
    });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 401 }))).toMatchObject({
      param: 'amount',
    });
    expect((await provider.stripe.refunds.list({ payment_intent })).data).toHaveLength(1);
  });

  it('fifty concurrent partial refunds never give back more than was captured', async () => {
    const charge = await provider.charge(1_000);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => provider.stripe.refunds.create({ charge: charge.id, amount: 30 })),
    );
    const paid = results.filter((result) => result.status === 'fulfilled');
    expect(paid).toHaveLength(33);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ statusCode: 400, param: 'amount' });
    expect(await provider.money(charge.id)).toMatchObject({
      refunds: 33,
      refunded: 990,
      amountRefunded: 990,
    });
    expect(await provider.stripe.refunds.create({ charge: charge.id })).toMatchObject({ amount: 10 });
  });

  it('concurrent refunds of all that is left pay it once', async () => {
    const charge = await provider.charge(1_000);
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => provider.stripe.refunds.create({ charge: charge.id })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 1, refunded: 1_000 });
  });

  it.each([
    [{ amount: 0 }, 'parameter_invalid_integer'],
    [{ amount: -5 }, 'parameter_invalid_integer'],
    [{ amount: 1.5 }, 'parameter_invalid_integer'],
    [{ amount: 1e21 }, 'parameter_invalid_integer'],
    [{ amount: 999_999_999_999_999 }, 'amount_too_large'],
    [{ reason: 'goodwill' }, undefined],
    [{ colour: 'red' }, 'parameter_unknown'],
  ])('refuses %j by name and uses no key up', async (wrong, code) => {
    const charge = await provider.charge(1_000);
    const options = { idempotencyKey: `wrong-${JSON.stringify(wrong)}` };
    const error = await refusal(provider.stripe.refunds.create({ charge: charge.id, ...wrong }, options));
    expect(error).toMatchObject({ statusCode: 400, code });
    expect(await provider.stripe.refunds.create({ charge: charge.id, amount: 1 }, options)).toMatchObject({
      amount: 1,
    });
  });

  it('takes three-decimal currencies in tens and ISK in whole units only', async () => {
    const dinar = await provider.charge(10_000, { currency: 'kwd' });
    expect(await refusal(provider.stripe.refunds.create({ charge: dinar.id, amount: 1_005 }))).toMatchObject({
      param: 'amount',
    });
    expect(await refusal(provider.charge(150, { currency: 'isk' }))).toMatchObject({ param: 'amount' });
    expect(await provider.money(dinar.id)).toMatchObject({ refunds: 0, amountRefunded: 0 });
  });

  it('changes metadata by key and cancels only a refund that waits for the customer', async () => {
    const charge = await provider.charge(1_000);
    const refund = await provider.stripe.refunds.create({
      charge: charge.id,
      amount: 100,
      metadata: { a: '1', b: '2' },
    });
    expect(
      (await provider.stripe.refunds.update(refund.id, { metadata: { b: '', c: '3' } })).metadata,
    ).toEqual({ a: '1', c: '3' });
    expect(await refusal(provider.stripe.refunds.cancel(refund.id))).toMatchObject({ statusCode: 400 });
    await provider.fault('requires_action', { match: { payment: charge.id } });
    const waiting = await provider.stripe.refunds.create({ charge: charge.id, amount: 900 });
    expect(waiting.status).toBe('requires_action');
    expect((await provider.stripe.charges.retrieve(charge.id)).amount_refunded).toBe(1_000);
    expect(await provider.stripe.refunds.cancel(waiting.id)).toMatchObject({ status: 'canceled' });
    expect((await provider.stripe.charges.retrieve(charge.id)).amount_refunded).toBe(100);
  });
});

describe('accounts and lists', () => {
  it('answers a foreign payment exactly as an unknown one', async () => {
    const charge = await provider.charge(1_000);
    const globex = provider.clientOf(keys.globex);
    const foreign = await refusal(globex.refunds.create({ charge: charge.id }));
    const unknown = await refusal(globex.refunds.create({ charge: 'ch_unknown' }));
    expect(foreign).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    expect(unknown.message.replace('ch_unknown', charge.id)).toBe(foreign.message);
    expect((await globex.charges.list()).data).toEqual([]);
    expect((await globex.refunds.list({ charge: charge.id })).data).toEqual([]);
    expect(await provider.money(charge.id)).toMatchObject({ refunds: 0 });
  });

  it('refuses an unknown key without repeating it, and no key at all', async () => {
    const error = await refusal(provider.clientOf('sk_test_wrong_0123456789abcdef').charges.list());
    expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    expect(error.message).not.toContain('wrong_0123456789');
    expect((await fetch(`${provider.url}/v1/charges`)).status).toBe(401);
    expect((await fetch(`${provider.url}/sandbox/faults`)).status).toBe(401);
  });

  it('pages newest first, forwards and backwards, without gaps or repeats', async () => {
    const charge = await provider.charge(1_000);
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1)
      made.unshift((await provider.stripe.refunds.create({ charge: charge.id, amount: n + 1 })).id);
    const seen: string[] = [];
    for await (const refund of provider.stripe.refunds.list({ charge: charge.id, limit: 3 }))
      seen.push(refund.id);
    expect(seen).toEqual(made);
    const before = await provider.stripe.refunds.list({
      charge: charge.id,
      limit: 2,
      ending_before: String(made[4]),
    });
    expect(before).toMatchObject({ has_more: true, url: '/v1/refunds' });
    expect(before.data.map((refund) => refund.id)).toEqual([made[2], made[3]]);
    expect(await refusal(provider.stripe.refunds.list({ starting_after: 're_unknown' }))).toMatchObject({
      code: 'resource_missing',
    });
  });

  it('says on every answer that it is a simulation', async () => {
    for (const path of ['/', '/healthz', '/v1/charges', '/nothing']) {
      expect((await fetch(provider.url + path)).headers.get('x-countersign-sandbox')).toBe('simulation');
    }
    expect(await (await fetch(provider.url)).text()).toContain('moves no money');
    const error = await refusal(provider.stripe.charges.retrieve('ch_unknown'));
    expect(error.requestId).toMatch(/^req_/);
  });
});

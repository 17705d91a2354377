import { ProviderFixture, keys } from './providerFixture';
import { WebhookReceiver } from './webhookReceiver';

let provider: ProviderFixture;
let receiver: WebhookReceiver;
beforeAll(async () => {
  provider = await ProviderFixture.start();
  receiver = await WebhookReceiver.start();
  const endpoint = await provider.stripe.webhookEndpoints.create({
    url: receiver.url,
    enabled_events: ['refund.created', 'refund.updated', 'charge.refunded'],
  });
  receiver.secret = endpoint.secret ?? '';
});
afterAll(async () => {
  await provider.stop();
  await receiver.stop();
});

const types = (events: { type: string }[]) => events.map(({ type }) => type);

describe('webhooks', () => {
  it('are signed so that the official client accepts them, and nothing else', async () => {
    const charge = await provider.charge(1_000);
    const refund = await provider.stripe.refunds.create(
      { charge: charge.id, amount: 100 },
      { idempotencyKey: 'run-hook' },
    );
    const [created, refunded] = await receiver.received(charge.id, 2);
    expect(created).toMatchObject({
      type: 'refund.created',
      request: { idempotency_key: 'run-hook' },
      data: { object: { id: refund.id } },
    });
    expect(refunded).toMatchObject({
      type: 'charge.refunded',
      data: { object: { id: charge.id, amount_refunded: 100 } },
    });
    expect(await provider.stripe.events.retrieve(String(created?.id))).toMatchObject({
      type: 'refund.created',
    });
    const secret = receiver.secret;
    receiver.secret = 'whsec_another';
    await provider.fault('webhook_before_response', { match: { event: 'refund.created' } });
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    receiver.secret = secret;
    expect(receiver.refused[0]).toContain('No signatures found matching the expected signature');
  });

  it('come again until they are accepted', async () => {
    const charge = await provider.charge(1_000);
    receiver.answers.push(500, 503);
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect(types(await receiver.received(charge.id, 2)).sort()).toEqual([
      'charge.refunded',
      'refund.created',
    ]);
  });

  it('can arrive before the call that caused them is answered', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_before_response', { match: { event: 'refund.created' } });
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect(receiver.of(charge.id)[0]).toMatchObject({
      type: 'refund.created',
      data: { object: { id: refund.id } },
    });
  });

  it('can arrive twice, as the same event', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_duplicate', { match: { event: 'refund.created' } });
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    const events = await receiver.received(charge.id, 3);
    expect(types(events)).toEqual(['refund.created', 'refund.created', 'charge.refunded']);
    expect(events[0]?.id).toBe(events[1]?.id);
  });

  it('can be overtaken by a later one', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_reorder', { match: { event: 'refund.created' } });
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect(types(await receiver.received(charge.id, 2))).toEqual(['charge.refunded', 'refund.created']);
  });

  it('can be late', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_delay', { ms: 150, match: { event: 'refund.created' } });
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect(types(await receiver.received(charge.id, 2))).toEqual(['charge.refunded', 'refund.created']);
  });

  it('can be missing, while the event is still listed', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_never', { match: { event: 'refund.created' } });
    const refund = await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    await provider.stripe.refunds.update(refund.id, { metadata: { a: '1' } });
    expect(types(await receiver.received(charge.id, 2))).toEqual(['charge.refunded', 'refund.updated']);
    const listed = await provider.stripe.events.list({ type: 'refund.created', limit: 1 });
    expect(listed.data[0]?.data.object).toMatchObject({ id: refund.id });
  });

  it('go to the endpoints of their own account only', async () => {
    const globex = provider.clientOf(keys.globex);
    const theirs = await globex.charges.create({ amount: 100, currency: 'usd', source: 'tok_visa' });
    await globex.refunds.create({ charge: theirs.id });
    const charge = await provider.charge(1_000);
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect(await receiver.received(charge.id, 2)).toHaveLength(2);
    expect(receiver.of(theirs.id)).toEqual([]);
    expect((await globex.events.list({ type: 'refund.created' })).data).toHaveLength(1);
  });

  it('those that wait are delivered after a restart', async () => {
    const charge = await provider.charge(1_000);
    await provider.fault('webhook_delay', { ms: 200, match: { event: 'refund.created' } });
    await provider.stripe.refunds.create({ charge: charge.id, amount: 100 });
    await receiver.received(charge.id, 1);
    await provider.restart();
    expect(types(await receiver.received(charge.id, 2))).toEqual(['charge.refunded', 'refund.created']);
  });
});

import { wantedEvents } from '../../../src/adapters/payments/stripeWebhooks';
import { TestProvider } from '../../support/provider';
import { objects, parameters, problemsOf, unknownMembers } from './publishedApi';

let provider: TestProvider;
beforeAll(async () => {
  provider = await TestProvider.start();
});
afterAll(() => provider.stop());

describe('what the sandbox answers, by the published objects of the provider', () => {
  const look = (name: string, object: unknown): [string[], string[]] => {
    const plain: unknown = JSON.parse(JSON.stringify(object));
    const schema = objects[name];
    if (!schema) throw new Error(`no object ${name}`);
    return [problemsOf(schema, plain), unknownMembers(schema, plain)];
  };
  const right: [string[], string[]] = [[], []];

  test('a refund in every state has all that it must have, and nothing of our own making', async () => {
    const states: Record<string, () => Promise<string>> = {
      succeeded: async () => refund(),
      pending: async () => refund('refund_pending'),
      requires_action: async () => refund('requires_action'),
      failed: async () => moved(await refund(), 'failed'),
      canceled: async () => moved(await refund('requires_action'), 'canceled'),
    };
    async function refund(kind?: string): Promise<string> {
      const charge = await provider.charge(1_000);
      if (kind !== undefined) await provider.admin('POST', 'faults', { kind, match: { payment: charge } });
      return (await provider.stripe.refunds.create({ charge, metadata: { a: 'b' }, reason: 'duplicate' })).id;
    }
    async function moved(id: string, status: string): Promise<string> {
      await provider.admin('POST', `refunds/${id}`, { status });
      return id;
    }
    for (const [status, make] of Object.entries(states)) {
      const refund = await provider.stripe.refunds.retrieve(await make());
      expect([refund.status, ...look('refund', refund)]).toEqual([status, ...right]);
    }
  });

  test('so has a payment: captured, only authorized, voided, partly refunded, disputed', async () => {
    const ids = [
      await provider.charge(1_000),
      await provider.charge(1_000, 'jpy', { customer: 'cus_1', description: 'x', metadata: { a: 'b' } }),
      await provider.charge(1_000, 'usd', { capture: false }),
    ];
    const voided = await provider.stripe.charges.retrieve(
      await provider.charge(1_000, 'usd', { capture: false }),
    );
    await provider.stripe.paymentIntents.cancel(voided.payment_intent as string);
    await provider.stripe.refunds.create({ charge: ids[0]!, amount: 1 });
    await provider.admin('POST', 'disputes', { charge: ids[1] });
    for (const id of [...ids, voided.id]) {
      const charge = await provider.stripe.charges.retrieve(id);
      expect([id, ...look('charge', charge)]).toEqual([id, ...right]);
      const intent = await provider.stripe.paymentIntents.retrieve(charge.payment_intent as string);
      expect([intent.status, ...look('payment_intent', intent)]).toEqual([intent.status, ...right]);
    }
  });

  test('so has a dispute in every state, and an event of every kind that we want', async () => {
    await provider.sendEventsTo('http://127.0.0.1:1/');
    const [endpoint] = (await provider.stripe.webhookEndpoints.list()).data;
    expect(look('webhook_endpoint', endpoint)).toEqual(right);
    const charge = await provider.charge(1_000);
    const opened = (await provider.admin('POST', 'disputes', { charge, amount: 10, inquiry: true })) as {
      id: string;
    };
    const closed = (await provider.admin('POST', 'disputes', { charge, amount: 10 })) as { id: string };
    await provider.admin('POST', `disputes/${closed.id}/close`, { outcome: 'won' });
    for (const { id } of [opened, closed]) {
      const dispute = await provider.stripe.disputes.retrieve(id);
      expect([dispute.status, ...look('dispute', dispute)]).toEqual([dispute.status, ...right]);
    }
    const { data } = await provider.stripe.events.list({ limit: 100 });
    expect(data.length).toBeGreaterThan(5);
    for (const event of data) {
      expect([event.type, ...look('event', event)]).toEqual([event.type, ...right]);
      const about = event.data.object as { object: string };
      expect([event.type, ...look(about.object, about)]).toEqual([event.type, ...right]);
    }
    const names = parameters['POST /v1/webhook_endpoints']?.properties?.['enabled_events']?.items?.enum;
    for (const type of new Set([...wantedEvents, ...data.map((event) => event.type)]))
      expect(names).toContain(type);
  });

  test('control: a member that is missing, of another type, or of our own making would be found', async () => {
    const refund = await provider.stripe.refunds.create({ charge: await provider.charge(1_000) });
    const { amount: _amount, ...less } = refund;
    expect(look('refund', less)[0]).toHaveLength(1);
    expect(look('refund', { ...refund, amount: '1000' })[0]).toHaveLength(1);
    expect(look('refund', { ...refund, countersign: true })[1]).toEqual(['countersign']);
  });
});

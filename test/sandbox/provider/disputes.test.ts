import { ProviderFixture, intentOf, keys, refusal } from './providerFixture';

let provider: ProviderFixture;
beforeAll(async () => {
  provider = await ProviderFixture.start();
});
afterAll(() => provider.stop());

interface OpenedDispute {
  id: string;
  amount: number;
  status: string;
}

const open = (charge: string, more: object = {}) =>
  provider.admin<OpenedDispute>('POST', '/disputes', { charge, ...more });

describe('disputes', () => {
  it('what is disputed cannot be refunded, until the dispute is won', async () => {
    const charge = await provider.charge(1_000);
    const dispute = await open(charge.id);
    expect(dispute).toMatchObject({ amount: 1_000, status: 'needs_response' });
    expect((await provider.stripe.charges.retrieve(charge.id)).disputed).toBe(true);
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 1 }))).toMatchObject({
      code: 'charge_disputed',
    });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id }))).toMatchObject({
      code: 'charge_disputed',
    });
    await provider.admin('POST', `/disputes/${dispute.id}/close`, { outcome: 'won' });
    expect(await provider.stripe.refunds.create({ charge: charge.id })).toMatchObject({ amount: 1_000 });
  });

  it('a lost dispute keeps its amount, and the rest stays refundable to the unit', async () => {
    const charge = await provider.charge(1_000);
    const dispute = await open(intentOf(charge), { amount: 300, reason: 'product_not_received' });
    await provider.admin('POST', `/disputes/${dispute.id}/close`, { outcome: 'lost' });
    expect(await refusal(provider.stripe.refunds.create({ charge: charge.id, amount: 701 }))).toMatchObject({
      code: 'charge_disputed',
    });
    expect(await provider.stripe.refunds.create({ charge: charge.id })).toMatchObject({ amount: 700 });
    await expect(provider.admin('POST', `/disputes/${dispute.id}/close`, { outcome: 'won' })).rejects.toThrow(
      'already closed',
    );
  });

  it('an inquiry holds nothing back', async () => {
    const charge = await provider.charge(1_000);
    await open(charge.id, { inquiry: true });
    expect(await provider.stripe.refunds.create({ charge: charge.id })).toMatchObject({ amount: 1_000 });
  });

  it('are listed by charge and by payment intent, to their own account only', async () => {
    const charge = await provider.charge(1_000);
    await provider.charge(1_000).then((other) => open(other.id));
    const dispute = await open(charge.id, { amount: 100 });
    expect((await provider.stripe.disputes.list({ charge: charge.id })).data.map(({ id }) => id)).toEqual([
      dispute.id,
    ]);
    expect(
      (await provider.stripe.disputes.list({ payment_intent: intentOf(charge) })).data.map(({ id }) => id),
    ).toEqual([dispute.id]);
    expect((await provider.clientOf(keys.globex).disputes.list()).data).toEqual([]);
    const events = await provider.stripe.events.list({ types: ['charge.dispute.created'], limit: 1 });
    expect(events.data[0]?.data.object).toMatchObject({ id: dispute.id });
  });

  it('refuses to dispute more than was captured', async () => {
    const charge = await provider.charge(1_000);
    await expect(open(charge.id, { amount: 1_001 })).rejects.toThrow('400');
    const authorized = await provider.charge(1_000, { capture: false });
    await expect(open(authorized.id, { amount: 1 })).rejects.toThrow('400');
  });
});

import { paidOut } from '../workflows/evidence';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.stack.provider.admin('DELETE', 'faults'));
afterAll(() => scene.stop());

const stripe = () => scene.stack.provider.stripe;
async function authorized(amount: number): Promise<{ id: string; charge: string }> {
  const { id, latest_charge: charge } = await stripe().paymentIntents.create({
    ...{ amount, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' },
    capture_method: 'manual',
  });
  if (typeof charge !== 'string') throw new Error('the payment has no charge');
  return { id, charge };
}

async function refused(paymentId: string, amount = '10.00'): Promise<[number, string, string]> {
  const { status, body } = await scene.service.startRefund({ paymentId, amount });
  return [status, body.code, body.detail];
}

describe('a payment of which nothing, or not all, was captured', () => {
  test('R56: authorized only: refused by both its ids, with what to do instead, and after the capture it is taken', async () => {
    const { id, charge } = await authorized(20_000);
    for (const paymentId of [id, charge])
      expect(await refused(paymentId)).toEqual([
        422,
        'payment_uncaptured',
        expect.stringContaining('void the authorization instead of refunding'),
      ]);
    await stripe().paymentIntents.capture(id);
    const runId = await scene.start(id, '10.00');
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[1_000, 'succeeded']]);
  });

  test('R56: voided: refused by both its ids, with what that means', async () => {
    const { id, charge } = await authorized(20_000);
    await stripe().paymentIntents.cancel(id);
    for (const paymentId of [id, charge])
      expect(await refused(paymentId)).toEqual([
        422,
        'payment_uncaptured',
        expect.stringMatching(/was voided.*nothing to refund/),
      ]);
  });

  test('R56: captured in part: bounded by that part, to the minor unit, whatever was authorized', async () => {
    const { id, charge } = await authorized(20_000);
    await stripe().paymentIntents.capture(id, { amount_to_capture: 4_000 });
    expect((await refused(id, '40.01')).slice(0, 2)).toEqual([422, 'exceeds_remaining']);
    const runId = await scene.start(charge, '40.00');
    await scene.service.untilPhase(runId, 'completed');
    expect((await refused(id, '0.01')).slice(0, 2)).toEqual([422, 'exceeds_remaining']);
    expect(await paidOut(scene.stack, charge)).toEqual([[4_000, 'succeeded']]);
  });

  test('R56: taken in while the provider was away, it ends rejected with the same code and text', async () => {
    const { id } = await authorized(20_000);
    await stripe().paymentIntents.cancel(id);
    await scene.stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      match: { method: 'GET' },
      times: null,
    });
    const runId = await scene.start(id, '10.00');
    await scene.stack.provider.admin('DELETE', 'faults');
    const { result } = await scene.service.untilPhase(runId, 'rejected');
    expect(result).toMatchObject({
      code: 'payment_uncaptured',
      detail: expect.stringMatching(/was voided.*nothing to refund/),
    });
  });
});

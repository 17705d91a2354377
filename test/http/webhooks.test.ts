import Stripe from 'stripe';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { balanceOf, eventsOf, paidOut } from '../workflows/evidence';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.provider.admin('DELETE', 'faults'));
afterAll(() => stack.stop());

const service = () => stack.as('service');
const fault = (charge: string, kind: string, more: Record<string, unknown> = {}) =>
  stack.provider.admin('POST', 'faults', { kind, match: { method: 'POST', payment: charge }, ...more });

/** An event as the provider sends it, with whatever is wrong about it. */
function send(event: object, { secret = stack.webhookSecret, ageSeconds = 0, tampered = false } = {}) {
  const payload = JSON.stringify(event);
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return stack
    .as('service')
    .call('POST', '/v1/webhooks/stripe', tampered ? payload.replace('evt', 'evt_') : payload, {
      authorization: '',
      'stripe-signature': signature,
    });
}

let sent = 0;
const refundEvent = (refundId: string, type = 'refund.updated', object = {}) => ({
  id: `evt_of_test_${(sent += 1)}`,
  object: 'event',
  type,
  data: { object: { id: refundId, object: 'refund', ...object } },
});

const seen = (id: string) =>
  query(stack.database.adminUrl, 'select 1 from provider_events where event_id = $1', [id]);

async function pending(amount: string): Promise<{ charge: string; runId: string; refundId: string }> {
  const charge = await stack.provider.charge(20_000);
  await fault(charge, 'refund_pending');
  const { body } = await service().startRefund({ paymentId: charge, amount });
  const { runId } = body as { runId: string };
  await service().untilPhase(runId, 'settling');
  const [refund] = await stack.provider.refunds(charge);
  return { charge, runId, refundId: refund?.id ?? '' };
}

describe('the signature', () => {
  test.each([
    ['of another secret', { secret: 'whsec_of_somebody' }],
    ['of another body', { tampered: true }],
    ['older than five minutes', { ageSeconds: 301 }],
  ])('R18: one %s is refused, and nothing is kept of it', async (_what, wrong) => {
    const event = refundEvent('re_1');
    const answer = await send(event, wrong);
    expect([answer.status, answer.body.code]).toEqual([400, 'webhook_signature_invalid']);
    expect(await seen(event.id)).toEqual([]);
  });

  test('R18: without one it is refused', async () => {
    const answer = await service().call('POST', '/v1/webhooks/stripe', refundEvent('re_1'));
    expect([answer.status, answer.body.code]).toEqual([400, 'webhook_signature_invalid']);
  });

  test('R18: what cannot be handled is forgotten, so that the provider sends it again', async () => {
    const event = refundEvent('re_of_nobody');
    expect((await send(event)).status).toBe(503);
    expect(await seen(event.id)).toEqual([]);
  });
});

describe('a pending refund', () => {
  test('R16: settles by webhook, before the run would have asked', async () => {
    const { charge, runId, refundId } = await pending('12.00');
    await stack.provider.admin('POST', `refunds/${refundId}`, { status: 'succeeded' });
    await service().untilPhase(runId, 'completed', 4_500);
    expect(await paidOut(stack, charge)).toEqual([[1_200, 'succeeded']]);
  });

  test('R16: settles by asking, where no webhook ever comes', async () => {
    const { runId, refundId } = await pending('13.00');
    await stack.provider.admin('POST', 'faults', {
      kind: 'webhook_never',
      match: { event: 'refund.*' },
      times: null,
    });
    await stack.provider.admin('POST', `refunds/${refundId}`, { status: 'succeeded' });
    await service().untilPhase(runId, 'completed', 30_000);
  });

  test('R18: the object is read again: an event that lies, comes twice or out of order changes nothing', async () => {
    const { charge, runId, refundId } = await pending('14.00');
    const lie = refundEvent(refundId, 'refund.failed', { status: 'failed', charge });
    expect([(await send(lie)).status, (await send(lie)).status]).toEqual([200, 200]);
    expect(await seen(lie.id)).toHaveLength(1);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 1_400, refunded: 0 });
    await stack.provider.admin('POST', `refunds/${refundId}`, { status: 'succeeded' });
    await service().untilPhase(runId, 'completed');
    const late = refundEvent(refundId, 'refund.updated', { status: 'pending', charge });
    expect((await send(late)).status).toBe(200);
    expect(await service().refund(runId)).toMatchObject({ phase: 'completed' });
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 1_400 });
  });

  test('R18: news that comes before our own call has returned is not lost', async () => {
    const charge = await stack.provider.charge(20_000);
    await fault(charge, 'refund_pending', { afterMs: 0 });
    await stack.provider.admin('POST', 'faults', {
      kind: 'webhook_before_response',
      match: { event: 'refund.*' },
      times: null,
    });
    const { body } = await service().startRefund({ paymentId: charge, amount: '15.00' });
    await service().untilPhase((body as { runId: string }).runId, 'completed', 30_000);
    expect(await paidOut(stack, charge)).toEqual([[1_500, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_500, reserved: 0 });
  });
});

describe('what happens at the provider without us', () => {
  const bookOf = async (charge: string) => {
    const [row] = await query<{ elsewhere: number; disputed: number }>(
      stack.database.adminUrl,
      `select refunded_elsewhere::int as elsewhere, disputed::int from payments where payment_id = $1`,
      [charge],
    );
    return row;
  };

  test('R18: a refund made by hand is adopted into the balance, and so is its failure', async () => {
    const charge = await stack.provider.charge(20_000);
    const open = await service().openApproval({ paymentId: charge, amount: '120.00' });
    const byHand = await stack.provider.stripe.refunds.create({ charge, amount: 5_000 });
    await until(async () => (await bookOf(charge))?.elsewhere === 5_000);
    const over = await service().startRefund({ paymentId: charge, amount: '30.01' });
    expect([over.status, over.body.code]).toEqual([422, 'exceeds_remaining']);
    await stack.provider.admin('POST', `refunds/${byHand.id}`, { status: 'failed' });
    await until(async () => (await bookOf(charge))?.elsewhere === 0);
    expect((await service().refund(open.runId)).phase).toBe('waiting_approval');
  });

  test('R6: a dispute takes from the balance at once, and is shown on every run that has not ended', async () => {
    const charge = await stack.provider.charge(20_000);
    const paid = await service().startRefund({ paymentId: charge, amount: '10.00' });
    await service().untilPhase(paid.body.runId as string, 'completed');
    const open = await service().openApproval({ paymentId: charge, amount: '60.00' });
    await stack.provider.admin('POST', 'disputes', { charge, amount: 19_000 });
    await until(async () => (await eventsOf(stack, open.runId)).includes('dispute_opened'));
    expect((await bookOf(charge))?.disputed).toBe(19_000);
    expect(await eventsOf(stack, paid.body.runId as string)).not.toContain('dispute_opened');
    await stack.as('reviewer1').decide(open, 'approve');
    await service().untilPhase(open.runId, 'needs_review');
    expect(await paidOut(stack, charge)).toEqual([[1_000, 'succeeded']]);
  });

  test('R38: news about a payment that nobody has refunded through us is none of ours', async () => {
    const charge = await stack.provider.charge(20_000);
    const { id } = await stack.provider.stripe.refunds.create({ charge, amount: 100 });
    expect((await send(refundEvent(id))).status).toBe(200);
    expect(await bookOf(charge)).toBeUndefined();
  });
});

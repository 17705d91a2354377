import { LossyProxy } from '../support/lossyProxy';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, paidOut, told } from '../workflows/evidence';

/** Real runs while the provider itself sends its events twice, out of order, late, too early, or not at all. */
let stack: TestStack;
let deliveries: LossyProxy;
beforeAll(async () => {
  stack = await TestStack.start();
  // Drops nothing here: what passes through it is what the API was really sent.
  deliveries = await LossyProxy.start(stack.apiUrl);
  const [endpoint] = (await stack.provider.stripe.webhookEndpoints.list()).data;
  const url = `${deliveries.url}/v1/webhooks/stripe`;
  await stack.provider.stripe.webhookEndpoints.update(endpoint?.id ?? '', { url });
});
afterEach(() => stack.provider.admin('DELETE', 'faults'));
afterAll(async () => {
  await stack.stop();
  await deliveries.stop();
});

const service = () => stack.as('service');

/** `webhook_…` faults of this payment alone, on every event that matches. */
const webhooks = (charge: string, kind: string, event: string, more: Record<string, unknown> = {}) =>
  stack.provider.admin('POST', 'faults', { kind, match: { payment: charge, event }, times: null, ...more });

interface Delivered {
  readonly id: string;
  readonly type: string;
  readonly status: number;
}

/** What the API was sent about this payment's refunds, in the order in which it came. */
function delivered(charge: string): Delivered[] {
  return deliveries.calls.flatMap(({ body, status }) => {
    const event = JSON.parse(body) as { id: string; type: string; data: { object: { charge?: string } } };
    return event.data.object.charge === charge ? [{ id: event.id, type: event.type, status }] : [];
  });
}
const typesOf = (charge: string) => delivered(charge).map(({ type }) => type);
const untilDelivered = (charge: string, count: number) =>
  until(async () => delivered(charge).filter(({ status }) => status === 200).length >= count);

/** A refund of 12.00 that the provider leaves pending for a moment. */
async function pendingRefund(charge: string): Promise<string> {
  await stack.provider.admin('POST', 'faults', {
    kind: 'refund_pending',
    afterMs: 400,
    match: { method: 'POST', payment: charge },
  });
  const { body } = await service().startRefund({ paymentId: charge, amount: '12.00' });
  return (body as { runId: string }).runId;
}

async function expectPaidOnce(charge: string, runId: string): Promise<void> {
  expect(await service().refund(runId)).toMatchObject({ phase: 'completed' });
  expect(await paidOut(stack, charge)).toEqual([[1_200, 'succeeded']]);
  expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_200, reserved: 0, unknown: 0 });
  expect(await told(stack, runId)).toEqual(['refund_completed']);
  const ends = (await auditOf(stack, runId)).filter(({ event }) => event === 'refund_succeeded');
  expect(ends).toHaveLength(1);
}

describe('a refund that settles while its events', () => {
  test('R18: come twice: one of each counts', async () => {
    const charge = await stack.provider.charge(20_000);
    await webhooks(charge, 'webhook_duplicate', 'refund.*');
    const runId = await pendingRefund(charge);
    await service().untilPhase(runId, 'completed');
    await untilDelivered(charge, 4);
    const ids = delivered(charge).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([4, 2]);
    await expectPaidOnce(charge, runId);
  });

  test('R18: come in the wrong order', async () => {
    const charge = await stack.provider.charge(20_000);
    await webhooks(charge, 'webhook_reorder', 'refund.created');
    const runId = await pendingRefund(charge);
    await service().untilPhase(runId, 'completed');
    await untilDelivered(charge, 2);
    expect(typesOf(charge)).toEqual(['refund.updated', 'refund.created']);
    await expectPaidOnce(charge, runId);
  });

  test('R16, R18: come late: the run asks by itself, and the news that comes then changes nothing', async () => {
    const charge = await stack.provider.charge(20_000);
    await webhooks(charge, 'webhook_delay', 'refund.*', { ms: 8_000 });
    const runId = await pendingRefund(charge);
    await service().untilPhase(runId, 'completed');
    expect(delivered(charge)).toEqual([]);
    await untilDelivered(charge, 2);
    await expectPaidOnce(charge, runId);
  });

  test('R18: come before the call that made the refund is answered', async () => {
    const charge = await stack.provider.charge(20_000);
    await webhooks(charge, 'webhook_before_response', 'refund.*');
    const runId = await pendingRefund(charge);
    await service().untilPhase(runId, 'completed');
    await untilDelivered(charge, 2);
    expect(delivered(charge)).toMatchObject([{ type: 'refund.created', status: 200 }, { status: 200 }]);
    await expectPaidOnce(charge, runId);
  });

  test('R16, R18: never come', async () => {
    const charge = await stack.provider.charge(20_000);
    await webhooks(charge, 'webhook_never', 'refund.*');
    const runId = await pendingRefund(charge);
    await service().untilPhase(runId, 'completed');
    expect(delivered(charge)).toEqual([]);
    await expectPaidOnce(charge, runId);
  });
});

describe('a refund that fails after it had succeeded, while its events', () => {
  test.each<[string, string, string, Record<string, unknown>, string[] | undefined]>([
    ['come twice', 'webhook_duplicate', 'refund.*', {}, undefined],
    [
      'come in the wrong order',
      'webhook_reorder',
      'refund.updated',
      {},
      ['refund.created', 'refund.failed', 'refund.updated'],
    ],
    ['come late', 'webhook_delay', 'refund.*', { ms: 1_500 }, undefined],
  ])('R17, R18: %s: it reopens once, and is told once', async (_how, kind, event, more, order) => {
    const charge = await stack.provider.charge(20_000);
    const { body } = await service().startRefund({ paymentId: charge, amount: '12.00' });
    const { runId } = body as { runId: string };
    const done = await service().untilPhase(runId, 'completed');
    await untilDelivered(charge, 1);
    await webhooks(charge, kind, event, more);
    await stack.provider.admin('POST', `refunds/${done.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    await untilDelivered(charge, kind === 'webhook_duplicate' ? 5 : 3);
    if (order) expect(typesOf(charge)).toEqual(order);

    await until(async () => (await told(stack, runId)).length === 2);
    expect(await told(stack, runId)).toEqual(['refund_completed', 'refund_failed_later']);
    expect(await paidOut(stack, charge)).toEqual([[1_200, 'failed']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 0, reserved: 0, unknown: 0 });
    const reversals = (await auditOf(stack, runId)).filter((line) => line.event === 'refund_failed_later');
    expect(reversals).toHaveLength(1);
    expect((await service().refund(runId)).phase).toBe('needs_review');
  });
});

test('R18: a refund made by hand whose events come twice and out of order is taken into the balance once', async () => {
  const charge = await stack.provider.charge(20_000);
  const open = await service().openApproval({ paymentId: charge, amount: '60.00' });
  await webhooks(charge, 'webhook_duplicate', 'refund.*');
  await webhooks(charge, 'webhook_reorder', 'refund.created');
  const byHand = await stack.provider.stripe.refunds.create({ charge, amount: 5_000 });
  await stack.provider.stripe.refunds.update(byHand.id, { metadata: { note: 'by hand' } });
  await untilDelivered(charge, 4);
  const [books] = await query<{ elsewhere: number }>(
    stack.database.adminUrl,
    'select refunded_elsewhere::int as elsewhere from payments where payment_id = $1',
    [charge],
  );
  expect(books?.elsewhere).toBe(5_000);
  expect(typesOf(charge)[0]).toBe('refund.updated');
  await stack.as('reviewer1').decide(open, 'approve');
  await service().untilPhase(open.runId, 'completed');
  expect(await paidOut(stack, charge)).toEqual([
    [5_000, 'succeeded'],
    [6_000, 'succeeded'],
  ]);
});

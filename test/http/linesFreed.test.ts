import type { Answer } from '../support/api';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';
import { held, line, order, waiting } from './orderFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());
afterEach(() => stack.provider.admin('DELETE', 'faults'));

const service = () => stack.as('service');

describe('units are free again', () => {
  const allTaken = async (ask: (units: number) => Promise<Answer>) => {
    expectProblem(await ask(1), 422, 'line_exhausted');
  };

  test('R31: after a rejection', async () => {
    const { ask } = await order(stack);
    const { runId, approval } = await waiting(stack, await ask(3));
    await allTaken(ask);
    await stack.as('reviewer1').decide(approval, 'reject');
    await service().untilPhase(runId, 'rejected');
    expect((await ask(3)).status).toBe(202);
  });

  test('R8: after a cancel', async () => {
    const { ask } = await order(stack);
    const { runId } = await waiting(stack, await ask(3));
    await allTaken(ask);
    expect((await service().call('POST', `/v1/refunds/${runId}/cancel`)).status).toBe(200);
    expect((await ask(3)).status).toBe(202);
  });

  test('R31: after the deadline', async () => {
    const { ask } = await order(stack);
    const { runId } = await waiting(stack, await ask(3));
    await allTaken(ask);
    await stack.temporal.skipTime('acme', runId);
    await service().untilPhase(runId, 'expired');
    expect((await ask(3)).status).toBe(202);
  });

  test('R8: after the provider has refused for good', async () => {
    const { paymentId, ask } = await order(stack);
    const { runId, approval } = await waiting(stack, await ask(3));
    await stack.provider.stripe.refunds.create({ charge: paymentId });
    await stack.as('reviewer1').decide(approval, 'approve');
    await service().untilPhase(runId, 'rejected');
    const other = await stack.provider.charge(50_000);
    const { orderId: id } = await service().refund(runId);
    const again = { paymentId: other, orderId: id, amount: '180.00', lines: [line(3, 3, '180.00')] };
    expect((await service().startRefund(again)).status).toBe(202);
  });

  test('R17: after a refund that had succeeded has failed, and taken again when it is sent again', async () => {
    const { ask } = await order(stack);
    const { runId, approval } = await waiting(stack, await ask(3));
    await stack.as('reviewer1').decide(approval, 'approve');
    const done = await service().untilPhase(runId, 'completed');
    await allTaken(ask);
    await stack.provider.admin('POST', `refunds/${done.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    const review = (action: string) =>
      stack.as('lead').call('POST', `/v1/refunds/${runId}/review`, { action });
    expect((await review('retry')).status).toBe(200);
    const again = await service().untilPhase(runId, 'completed');
    await allTaken(ask);
    await stack.provider.admin('POST', `refunds/${again.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    expect((await ask(1)).status).toBe(202);
    // Two of its three units are not enough to send it again.
    expect((await review('retry')).status).toBe(200);
    await until(async () => (await service().refund(runId)).review?.tried.at(-1)?.includes('of 3') === true);
    expect((await review('fail')).status).toBe(200);
    await service().untilPhase(runId, 'failed');
    expect((await ask(2)).status).toBe(202);
  });
});

describe('while the provider does not answer', () => {
  test('R20: lines are taken when the payment is validated; who lost the race ends as rejected and holds nothing', async () => {
    const { paymentId, ask } = await order(stack);
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      times: null,
      match: { method: 'GET' },
    });
    const blind = await ask(3);
    expect([blind.status, blind.body.phase]).toEqual([202, 'validating']);
    await stack.killWorkers();
    await stack.provider.admin('DELETE', 'faults');
    expect((await ask(1)).status).toBe(202);
    await stack.startWorker();
    const lost = await service().untilPhase(blind.body.runId as string, 'rejected');
    expect(lost).toMatchObject({
      result: { code: 'line_exhausted', detail: 'lines.0.quantity: 2 of 3 are left to refund' },
      lines: [],
    });
    expect(await held(stack, [paymentId])).toEqual([6_000]);
  });
});

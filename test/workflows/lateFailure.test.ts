import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, paidOut, refundCalls, told } from './evidence';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');
const review = (runId: string, action: string) =>
  stack.as('lead').call('POST', `/v1/refunds/${runId}/review`, { action });

async function start(charge: string, amount: string): Promise<string> {
  const { body } = await service().startRefund({ paymentId: charge, amount });
  return (body as { runId: string }).runId;
}

describe('a refund that fails after it had succeeded', () => {
  async function failedLater(amount: string) {
    const charge = await stack.provider.charge(20_000);
    const runId = await start(charge, amount);
    const done = await service().untilPhase(runId, 'completed');
    const refundId = done.result?.refundId ?? '';
    await stack.provider.admin('POST', `refunds/${refundId}`, {
      status: 'failed',
      failureReason: 'lost_or_stolen_card',
    });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    return { charge, runId, refundId };
  }

  test('R17: the balance is restored, the run reopens, it is told once, and trying again is another effect', async () => {
    const { charge, runId, refundId } = await failedLater('21.00');
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 0, unknown: 0, reserved: 0 });
    const open = await service().refund(runId);
    expect(open.review?.detail).toContain(refundId);
    expect(open.result).toBeNull();
    expect(await told(stack, runId)).toEqual(['refund_completed', 'refund_failed_later']);

    expect(await told(stack, runId, 'group:finance-lead')).toEqual(['review_waiting']);

    const answer = await review(runId, 'retry');
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const done = await service().untilPhase(runId, 'completed');
    expect(done.result?.refundId).not.toBe(refundId);
    expect(await paidOut(stack, charge)).toEqual([
      [2_100, 'failed'],
      [2_100, 'succeeded'],
    ]);
    expect((await refundCalls(stack, charge)).map((c) => c.idempotencyKey)).toEqual(
      expect.arrayContaining([`${runId}:issue_refund`, `${runId}:issue_refund:2`]),
    );
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 2_100, unknown: 0, reserved: 0 });
    expect(await told(stack, runId)).toEqual(['refund_completed', 'refund_failed_later', 'refund_completed']);
    expect((await auditOf(stack, runId)).filter((l) => l.event === 'refund_failed_later')).toHaveLength(1);
  });

  test('R17: trying again is refused at once where the payment does not bear it any more', async () => {
    const { charge, runId } = await failedLater('23.00');
    await stack.provider.stripe.refunds.create({ charge, amount: 18_000 });
    const unable = await review(runId, 'retry');
    expect([unable.status, unable.body.code]).toEqual([422, 'exceeds_remaining']);
    expect((await service().refund(runId)).phase).toBe('needs_review');
    expect(await balanceOf(stack, charge)).toMatchObject({ unknown: 0, reserved: 0 });
  });

  test('R17: the second refund can fail later too; failed by a person, nobody is told twice', async () => {
    const { charge, runId } = await failedLater('22.00');
    await review(runId, 'retry');
    const second = await service().untilPhase(runId, 'completed');
    await stack.provider.admin('POST', `refunds/${second.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    const answer = await review(runId, 'fail');
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const failed = await service().untilPhase(runId, 'failed');
    expect(failed.result).toMatchObject({ outcome: 'failed', refundId: second.result?.refundId });
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 0, unknown: 0, reserved: 0 });
    expect(await told(stack, runId)).toEqual([
      'refund_completed',
      'refund_failed_later',
      'refund_completed',
      'refund_failed_later',
    ]);
  });
});

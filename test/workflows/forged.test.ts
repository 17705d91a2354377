import { createHash } from 'node:crypto';
import { TestStack } from '../support/stack';
import { balanceOf, eventsOf, paidOut, told } from './evidence';

describe('what is made up by whoever reaches Temporal or guesses ids', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  /** A workflow that says of itself that it carries on a run, under whatever id. */
  async function startReopened(
    workflowId: string,
    of: { runId: string; paymentId: string; minor: number },
    refundId: string,
  ) {
    const { runId, paymentId, minor } = of;
    const handle = await stack.temporal.client.workflow.start('refund', {
      workflowId,
      taskQueue: 'countersign',
      args: [
        {
          ...{ tenant: 'acme', runId, paymentId, requester: 'service' },
          arguments: { amount: { minor, currency: 'USD' }, reason: 'damaged' },
          reopened: { refundId, round: 2 },
        },
      ],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'not_started_here' } });
  }

  test('R17: a paid run can not be reopened by hand: the provider has to say that its refund failed', async () => {
    const paymentId = await stack.provider.charge(20_000);
    const started = await stack.as('service').startRefund({ paymentId, amount: '30.00' });
    const { runId } = started.body as { runId: string };
    const done = await stack.as('service').untilPhase(runId, 'completed');
    const refundId = done.result?.refundId ?? '';
    const paid = { runId, paymentId, minor: 3_000 };
    await startReopened(`refund/acme/${runId}/reopened/re_x`, paid, 're_x');
    await startReopened(`refund/acme/${runId}/reopened/${refundId}`, paid, refundId);
    await startReopened(`refund/acme/${runId}`, paid, refundId);
    expect((await stack.as('service').refund(runId)).phase).toBe('completed');
    expect(await balanceOf(stack, paymentId)).toMatchObject({ refunded: 3_000 });
    expect(await told(stack, runId)).toEqual(['refund_completed']);
  });

  test('R22: what was rejected is not paid by a workflow that claims it had been paid', async () => {
    const paymentId = await stack.provider.charge(2_000_000);
    const approval = await stack.as('service').openApproval({ paymentId, amount: '9000.00' });
    await stack.as('reviewer1').decide(approval, 'reject');
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    const other = await stack.provider.stripe.refunds.create({ charge: paymentId, amount: 100 });
    await stack.provider.admin('POST', `refunds/${other.id}`, { status: 'failed', failureReason: 'unknown' });
    const more = { runId: approval.runId, paymentId, minor: 1_500_000 };
    await startReopened(`refund/acme/${approval.runId}/reopened/${other.id}`, more, other.id);
    expect((await stack.as('service').refund(approval.runId)).phase).toBe('rejected');
    expect(await paidOut(stack, paymentId)).toEqual([[100, 'failed']]);
  });

  test('R29: a rejected refund does not go on because somebody starts a workflow that says it goes on', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const approval = await stack.as('service').openApproval({ paymentId, amount: '400.00' });
    const { runId } = approval;
    await stack.as('reviewer1').decide(approval, 'reject');
    await stack.as('service').untilPhase(runId, 'rejected');
    const handle = await stack.temporal.client.workflow.start('refund', {
      workflowId: `refund/acme/${runId}`,
      taskQueue: 'countersign',
      args: [
        {
          ...{ tenant: 'acme', runId, paymentId, requester: 'service' },
          arguments: { amount: { minor: 40_000, currency: 'USD' }, reason: 'damaged' },
          continued: { remindedHours: 0, reviews: 0 },
        },
      ],
    });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'not_started_here' } });
    expect(await paidOut(stack, paymentId)).toEqual([]);
    expect(await balanceOf(stack, paymentId)).toMatchObject({ reserved: 0 });
    expect((await stack.as('service').refund(runId)).phase).toBe('rejected');
  });

  test('R25: whoever takes the id that another decision would get keeps nobody from deciding', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const approval = await stack.as('service').openApproval({ paymentId, amount: '400.00' });
    const { id, proposalHash } = approval;
    const content = JSON.stringify([id, proposalHash, 'reviewer1', 'reject', null]);
    const decisionId = `dec_${createHash('sha256').update(content).digest('hex').slice(0, 32)}`;
    const squat = await stack.as('service').call('POST', `/v1/approvals/${id}/decisions`, {
      decision: 'comment',
      comment: 'hi',
      proposalHash,
      decisionId,
    });
    expect(squat.status).toBe(200);
    expect((await stack.as('reviewer1').decide(approval, 'reject')).status).toBe(200);
    await stack.as('service').untilPhase(approval.runId, 'rejected');
  });

  test('R26: a vote taken back and given again while no worker runs counts', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const approval = await stack.as('service').openApproval({ paymentId, amount: '600.00' });
    await stack.killWorkers();
    for (const [who, decision] of [
      ['reviewer1', 'approve'],
      ['reviewer1', 'withdraw'],
      ['reviewer2', 'approve'],
      ['reviewer1', 'approve'],
    ] as const)
      expect((await stack.as(who).decide(approval, decision)).status).toBe(202);
    await stack.startWorker();
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await eventsOf(stack, approval.runId)).toContain('decision_withdraw');
    expect(await paidOut(stack, paymentId)).toEqual([[60_000, 'succeeded']]);
  });
});

import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { balanceOf, brokenAuditRows, eventsOf, historyOf, paidOut, refundCalls } from './evidence';
import { idOf, resetTo, restingPlaceOf, type EventId } from './resetting';

describe('a run that an operator resets through Temporal', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount?: string) => stack.opened(amount);

  const placeOf = (runId: string) => restingPlaceOf(stack, runId);
  const reset = (runId: string, place: EventId) => resetTo(stack, runId, place);

  /** The approval once it asks again, under a later revision than `approval`. */
  async function askedAgain(approval: ApprovalView): Promise<ApprovalView> {
    let now = approval;
    await until(async () => {
      now = await stack.as('service').approval(approval.id);
      return now.revision > approval.revision && now.status === 'open';
    });
    return now;
  }

  test('R27: approved but not yet sent, then reset: the old approval is inert, a new decision is needed and pays once', async () => {
    const { charge, approval } = await opened();
    const before = await placeOf(approval.runId);
    // Disputed, so that the approved run waits before any call is journalled.
    const dispute = (await stack.provider.admin('POST', 'disputes', { charge })) as { id: string };
    await stack.as('reviewer1').decide(approval, 'approve', { decisionId: 'before-reset' });
    await stack.as('service').untilPhase(approval.runId, 'needs_review');
    await stack.provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });

    await reset(approval.runId, before);
    const again = await askedAgain(approval);
    expect(again).toMatchObject({ status: 'open', votes: [], revision: 2, decidedBy: null });
    expect(again.proposalHash).not.toBe(approval.proposalHash);
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect((await stack.as('service').refund(approval.runId)).phase).toBe('waiting_approval');

    const old = await stack.as('reviewer2').decide(approval, 'approve');
    expect([old.status, old.body.code]).toEqual([409, 'decision_stale']);
    expect(await refundCalls(stack, charge)).toEqual([]);
    const decided = await stack.as('reviewer1').decide(again, 'approve');
    expect(decided.status).toBe(200);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 12_000, reserved: 0 });
    const events = await eventsOf(stack, approval.runId);
    expect(events.filter((event) => event === 'approval_opened')).toHaveLength(2);
    expect(events.filter((event) => event === 'refund_sent')).toHaveLength(1);
    expect(await brokenAuditRows(stack, approval.runId)).toEqual([]);
  });

  test('R27: reset after the provider was called: the same key, the same refund, no second decision, one payment', async () => {
    const { charge, approval } = await opened();
    const before = await placeOf(approval.runId);
    await stack.as('reviewer1').decide(approval, 'approve');
    const first = await stack.as('service').untilPhase(approval.runId, 'completed');
    await reset(approval.runId, before);
    await until(async () => {
      const { status } = await stack.temporal.handle('acme', approval.runId).describe();
      return status.name === 'COMPLETED';
    });
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    const after = await stack.as('service').refund(approval.runId);
    expect([after.phase, after.result?.refundId]).toEqual(['completed', first.result?.refundId]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 12_000, reserved: 0, unknown: 0 });
    const keys = new Set((await refundCalls(stack, charge)).map((call) => call.idempotencyKey));
    expect([...keys]).toEqual([`${approval.runId}:issue_refund`]);
    const told = await query(stack.database.adminUrl, 'select key from notifications where run_id = $1', [
      approval.runId,
    ]);
    expect(told).toEqual([{ key: `${approval.runId}:notify` }]);
  });

  test('R27: reset while the call is in flight: the outcome is looked up under the same key, one payment', async () => {
    const { charge, approval } = await opened();
    const before = await placeOf(approval.runId);
    await stack.provider.admin('POST', 'faults', {
      kind: 'latency',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
      ms: 1_000,
    });
    await stack.as('reviewer1').decide(approval, 'approve');
    await until(async () => (await eventsOf(stack, approval.runId)).includes('refund_sent'));
    await reset(approval.runId, before);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    await until(async () => {
      const { status } = await stack.temporal.handle('acme', approval.runId).describe();
      return status.name === 'COMPLETED';
    });
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 12_000, reserved: 0, unknown: 0 });
  });

  test('R27: one of two votes given, then reset: the vote is void and both must vote again', async () => {
    const { charge, approval } = await opened('800.00');
    const before = await placeOf(approval.runId);
    await stack.as('reviewer1').decide(approval, 'approve');
    await reset(approval.runId, before);
    const again = await askedAgain(approval);
    expect(again).toMatchObject({ votes: [], needed: 2 });
    await stack.as('reviewer2').decide(again, 'approve');
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await stack.as('service').approval(approval.id)).toMatchObject({ status: 'open' });
    await stack.as('reviewer1').decide(again, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });

  test('R27: a rejected run that is reset asks again, holds its amount again and counts what it pays', async () => {
    const { charge, approval } = await opened();
    const before = await placeOf(approval.runId);
    await stack.as('reviewer1').decide(approval, 'reject');
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0 });
    await reset(approval.runId, before);
    const again = await askedAgain(approval);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 12_000 });
    await stack.as('reviewer2').decide(again, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 12_000, reserved: 0 });
  });

  test('R27: a rejected run whose amount is gone meanwhile ends rejected again, with the reason', async () => {
    const { charge, approval } = await opened('800.00');
    const before = await placeOf(approval.runId);
    await stack.as('reviewer1').decide(approval, 'reject');
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    const other = await stack.as('service').openApproval({ paymentId: charge, amount: '900.00' });
    await reset(approval.runId, before);
    await until(async () => {
      const { status } = await stack.temporal.handle('acme', approval.runId).describe();
      return status.name === 'COMPLETED';
    });
    const after = await stack.as('service').refund(approval.runId);
    expect(after.result).toMatchObject({ outcome: 'rejected', code: 'exceeds_remaining' });
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 90_000 });
    expect((await stack.as('service').approval(other.id)).status).toBe('open');
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R27: reset to after the vote but before any call: that vote, which history kept, is void too', async () => {
    const { charge, approval } = await opened();
    const dispute = (await stack.provider.admin('POST', 'disputes', { charge })) as { id: string };
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'needs_review');
    await stack.temporal.skipTime('acme', approval.runId);
    const reviews = async () =>
      (await eventsOf(stack, approval.runId)).filter((event) => event === 'needs_review').length;
    await until(async () => (await reviews()) >= 3);
    const tasks = (await historyOf(stack, approval.runId)).filter(
      (event) => event.workflowTaskCompletedEventAttributes,
    );
    // The second task after the vote: kept are the vote and the first look.
    await reset(approval.runId, idOf(tasks[2]));
    await stack.provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });
    const again = await askedAgain(approval);
    expect(again.votes).toEqual([]);
    expect(await refundCalls(stack, charge)).toEqual([]);
    await stack.as('reviewer2').decide(again, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 12_000, reserved: 0 });
  });
});

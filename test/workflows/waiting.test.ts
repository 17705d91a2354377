import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, eventsOf, openWork, paidOut, refundCalls } from './evidence';

const hourMs = 3_600_000;

describe('waiting for people', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  async function opened(amount = '120.00') {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount });
    await until(async () => {
      const { timers, workflowTask } = await openWork(stack, approval.runId);
      return timers === 1 && !workflowTask;
    });
    return { charge, approval };
  }

  const reminders = (runId: string) =>
    query<{ key: string; recipient: string; template: string }>(
      stack.database.adminUrl,
      'select key, recipient, template from notifications where run_id = $1 order by created_at, key',
      [runId],
    );

  test('R28: a run that waits holds one timer and nothing else, and its history does not grow', async () => {
    const { approval } = await opened();
    const before = await openWork(stack, approval.runId);
    expect(before).toMatchObject({ activities: 0, timers: 1, workflowTask: false });
    const others = await opened('60.00');
    await stack.as('reviewer1').decide(others.approval, 'approve');
    await stack.as('service').untilPhase(others.approval.runId, 'completed');
    expect(await openWork(stack, approval.runId)).toEqual(before);
  });

  test('R28: the deadline is shown by inbox, run and query; asking changes nothing in the history', async () => {
    const { approval } = await opened();
    expect(Date.parse(approval.deadline) - Date.parse(approval.openedAt)).toBe(72 * hourMs);
    const before = await openWork(stack, approval.runId);
    const handle = stack.temporal.handle('acme', approval.runId);
    expect(await handle.query('approvalRequest')).toMatchObject({
      id: approval.id,
      deadline: approval.deadline,
      proposalHash: approval.proposalHash,
    });
    expect(await handle.query('state')).toMatchObject({
      runId: approval.runId,
      phase: 'waiting_approval',
      action: 'issue_refund',
      arguments: { amount: { value: '120.00', currency: 'USD' } },
      result: null,
    });
    expect((await stack.as('service').refund(approval.runId)).approval?.deadline).toBe(approval.deadline);
    expect(await openWork(stack, approval.runId)).toEqual(before);
  });

  test('R28: with every worker and its cache gone, another worker rebuilds the run from history and goes on', async () => {
    const { charge, approval } = await opened();
    await stack.killWorkers('SIGKILL');
    await stack.startWorker();
    const decided = await stack.as('reviewer1').decide(approval, 'approve');
    expect([200, 202]).toContain(decided.status);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R28: reminders at 24 and 48 hours, finance-lead added at 48, expiry at 72, each once and on record', async () => {
    const { charge, approval } = await opened();
    await stack.temporal.skipTime('acme', approval.runId);
    const done = await stack.as('service').untilPhase(approval.runId, 'expired');
    expect(done.result).toMatchObject({ outcome: 'expired', code: 'expired', refundId: null });

    const lines = await auditOf(stack, approval.runId);
    expect(lines.map((line) => line.event)).toEqual([
      'requested',
      'policy_evaluated',
      'approval_opened',
      'reminded',
      'escalated',
      'notified',
      'expired',
    ]);
    expect(lines.find((line) => line.event === 'escalated')?.after).toMatchObject({
      escalatedTo: ['finance-lead'],
    });
    expect(
      (await reminders(approval.runId)).map(({ key, recipient, template }) => [key, recipient, template]),
    ).toEqual([
      [`${approval.runId}:remind:24:approvers`, 'group:approvers', 'approval_waiting'],
      [`${approval.runId}:remind:48:approvers`, 'group:approvers', 'approval_waiting'],
      [`${approval.runId}:remind:48:finance-lead`, 'group:finance-lead', 'approval_waiting'],
      [`${approval.runId}:notify`, 'service', 'refund_expired'],
    ]);

    const timers = (await stack.temporal.handle('acme', approval.runId).fetchHistory()).events ?? [];
    const waited = timers
      .map((event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds)
      .filter((seconds) => seconds !== undefined && seconds !== null)
      .map((seconds) => Math.round(Number(seconds) / 3_600));
    expect(waited).toEqual([24, 24, 24]);

    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
    const late = await stack.as('reviewer1').decide(approval, 'approve');
    expect([late.status, late.body.code]).toEqual([409, 'approval_expired']);
    const again = await stack.as('service').startRefund({ paymentId: charge, amount: '200.00' });
    expect(again.status).toBe(202);
  });

  test('R28: an edit restarts no deadline', async () => {
    const { approval } = await opened();
    const edited = await stack.as('reviewer1').decide(approval, 'edit', {
      arguments: { amount: { value: '150.00', currency: 'USD' } },
    });
    expect([edited.body.revision, edited.body.deadline]).toEqual([2, approval.deadline]);
  });

  test('R31: a rejection leaves nothing at the provider, frees the balance, and says by whom', async () => {
    const { charge, approval } = await opened();
    const rejected = await stack
      .as('reviewer1')
      .decide(approval, 'reject', { comment: 'the parcel arrived' });
    expect([rejected.status, rejected.body.status]).toEqual([200, 'rejected']);
    const done = await stack.as('service').untilPhase(approval.runId, 'rejected');
    expect(done.result).toMatchObject({ outcome: 'rejected', code: 'rejected', refundId: null });
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
    expect((await auditOf(stack, approval.runId)).at(-1)).toMatchObject({
      event: 'rejected',
      actor: 'reviewer1',
    });
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      status: 'rejected',
      decidedBy: { actor: 'reviewer1', decision: 'reject' },
    });
  });

  test('R31: one reject ends an approval that has a vote already; limits do not apply to rejecting', async () => {
    const charge = await stack.provider.charge(1_000_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '6000.00' });
    await stack.as('lead').decide(approval, 'approve');
    await stack.as('reviewer2').decide(approval, 'reject');
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await eventsOf(stack, approval.runId)).not.toContain('authorized');
  });
});

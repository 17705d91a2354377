import { TestStack } from '../support/stack';
import { query } from '../support/database';
import { until } from '../support/processes';
import { auditOf, balanceOf, brokenAuditRows, eventsOf, paidOut, refundCalls } from './evidence';

describe('one refund from request to money back', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const cutAfterCommit = (charge: string, times = 1) =>
    stack.provider.admin('POST', 'faults', {
      kind: 'cut_after_commit',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
      times,
    });

  test('R20: an approved refund is paid exactly once, and the provider counts it', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    expect(await stack.provider.refunds(charge)).toEqual([]);
    const decided = await stack.as('reviewer1').decide(approval, 'approve');
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({ status: 'approved', votes: [{ actor: 'reviewer1' }] });

    const done = await stack.as('service').untilPhase(approval.runId, 'completed');
    const refunds = await stack.provider.refunds(charge);
    expect(refunds.map((r) => [r.id, r.amount, r.status])).toEqual([
      [done.result?.refundId, 12_000, 'succeeded'],
    ]);
    expect(await balanceOf(stack, charge)).toEqual({
      captured: 20_000,
      refunded: 12_000,
      unknown: 0,
      reserved: 0,
    });
  });

  test('R37: every arrow of the story is one audit row with its actor, and the chain holds', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '60.00' });
    await stack.as('reviewer2').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const lines = await auditOf(stack, approval.runId);
    expect(lines.map((line) => [line.event, line.actor])).toEqual([
      ['requested', 'service'],
      ['policy_evaluated', 'policy'],
      ['approval_opened', 'countersign'],
      ['decision_received', 'reviewer2'],
      ['decision_approve', 'reviewer2'],
      ['authorized', 'countersign'],
      ['refund_sent', 'countersign'],
      ['refund_succeeded', 'provider'],
      ['notified', 'countersign'],
      ['completed', 'countersign'],
    ]);
    expect(await brokenAuditRows(stack, approval.runId)).toEqual([]);
  });

  test('R1: every attempt carries the key <runId>:issue_refund, and the journal has it before the first call', async () => {
    const charge = await stack.provider.charge(20_000);
    await cutAfterCommit(charge, 2);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '75.00' });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');

    const key = `${approval.runId}:issue_refund`;
    const calls = await refundCalls(stack, charge);
    expect(calls.map((call) => call.idempotencyKey)).toEqual([key, key, key]);
    const journal = await query<{ key: string; attempts: number; state: string }>(
      stack.database.adminUrl,
      'select key, attempts, state from effects where run_id = $1',
      [approval.runId],
    );
    expect(journal).toEqual([{ key, attempts: 3, state: 'succeeded' }]);
    expect(await paidOut(stack, charge)).toEqual([[7_500, 'succeeded']]);
  });

  test('R2: two legitimate refunds of the same amount on one payment both pay, and replays pay nothing more', async () => {
    const charge = await stack.provider.charge(10_000);
    const service = stack.as('service');
    const body = { paymentId: charge, amount: '20.00' };
    const [first, second] = await Promise.all([
      service.startRefund({ ...body, key: 'twin-1' }),
      service.startRefund({ ...body, key: 'twin-2' }),
    ]);
    expect(first.body.runId).not.toBe(second.body.runId);
    for (const { body: run } of [first, second]) await settled(run.runId);
    for (const key of ['twin-1', 'twin-2', 'twin-1']) {
      expect((await service.startRefund({ ...body, key })).status).toBe(202);
    }
    expect(await paidOut(stack, charge)).toEqual([
      [2_000, 'succeeded'],
      [2_000, 'succeeded'],
    ]);
    expect(new Set((await refundCalls(stack, charge)).map((call) => call.idempotencyKey)).size).toBe(2);
  });

  /** The two together may need a person: whatever policy asks for is given. */
  async function settled(runId: string): Promise<void> {
    const service = stack.as('service');
    await until(async () => {
      const { phase, approval } = await service.refund(runId);
      if (phase === 'waiting_approval' && approval?.status === 'open')
        await stack.as('reviewer1').decide(await service.approval(approval.id), 'approve');
      return phase === 'completed';
    });
  }

  test('R3: the same key and body is the same run also after it ended; another body under it is refused', async () => {
    const charge = await stack.provider.charge(10_000);
    const service = stack.as('service');
    const body = { paymentId: charge, amount: '12.00', key: 'order-7' };
    const first = await service.startRefund(body);
    await service.untilPhase(first.body.runId, 'completed');
    const again = await service.startRefund({ ...body, amount: '12' });
    expect([again.status, again.body.runId, again.body.phase]).toEqual([202, first.body.runId, 'completed']);
    const other = await service.startRefund({ ...body, amount: '13.00' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    expect(await paidOut(stack, charge)).toEqual([[1_200, 'succeeded']]);
  });

  test('R3: a workflow started past the API, without an intake or with other figures, is refused by its first step', async () => {
    const charge = await stack.provider.charge(50_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    const input = {
      tenant: 'acme',
      runId: 'run_invented',
      paymentId: charge,
      arguments: { amount: { minor: 4_000, currency: 'USD' }, reason: 'damaged' },
      requester: 'service',
    };
    const start = (workflowId: string, args: unknown) =>
      stack.temporal.client.workflow.execute('refund', {
        workflowId,
        taskQueue: 'countersign',
        args: [args],
      });
    for (const args of [input, { ...input, runId: approval.runId }]) {
      const ended = start(`refund/past-the-api/${args.runId}`, args);
      await expect(ended).rejects.toMatchObject({ cause: { type: 'not_started_here' } });
    }
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 12_000 });
  });

  test('R12: a cut answer after the commit is unknown, never failed, and the same refund is found', async () => {
    const charge = await stack.provider.charge(20_000);
    await cutAfterCommit(charge);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '80.00' });
    await stack.as('reviewer1').decide(approval, 'approve');
    const done = await stack.as('service').untilPhase(approval.runId, 'completed');
    const [refund] = await stack.provider.refunds(charge);
    expect(done.result?.refundId).toBe(refund?.id);
    expect(await paidOut(stack, charge)).toEqual([[8_000, 'succeeded']]);
    expect((await refundCalls(stack, charge)).map(({ answered, replayed }) => [answered, replayed])).toEqual([
      [false, false],
      [true, true],
    ]);
    const events = await eventsOf(stack, approval.runId);
    expect(events).toContain('refund_outcome_unknown');
    expect(events).not.toContain('refund_refused');
    expect((await balanceOf(stack, charge))?.refunded).toBe(8_000);
  });

  test('R12: while the provider does not answer, the amount stays held as unknown and the run does not end', async () => {
    const charge = await stack.provider.charge(20_000);
    const cut = (await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
      times: null,
    })) as { id: number };
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '150.00' });
    await stack.as('reviewer1').decide(approval, 'approve');
    await until(async () => (await balanceOf(stack, charge))?.unknown === 15_000);
    const held = await stack.as('service').refund(approval.runId);
    expect([held.phase, held.result]).toEqual(['executing', null]);
    const journal = await query<{ state: string }>(
      stack.database.adminUrl,
      'select state from effects where run_id = $1',
      [approval.runId],
    );
    expect(journal).toEqual([{ state: 'unknown' }]);
    const more = await stack.as('service').startRefund({ paymentId: charge, amount: '50.01' });
    expect([more.status, more.body.code]).toEqual([422, 'exceeds_remaining']);
    const cancel = await stack.as('service').call('POST', `/v1/refunds/${approval.runId}/cancel`);
    expect([cancel.status, cancel.body.code]).toEqual([409, 'run_not_cancellable']);

    await stack.provider.admin('DELETE', `faults/${cut.id}`);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[15_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 15_000, unknown: 0, reserved: 0 });
  });
});

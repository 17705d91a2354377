import { refundWorkflowId } from '../../src/domain/contract';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { brokenAuditRows, eventsOf } from '../workflows/evidence';
import { batchesOf, rowOf } from './batchFixture';
import { sharing } from './sharing';
import { waitingManifest } from './waitingManifest';

/** `npm run test:scale` sends thousands; every other run as many as there is a middle to be killed in. */
const full = process.env['COUNTERSIGN_TEST_SCALE'] === 'full';
const [rows, killedAt, limitMs] = full ? [5_000, 4_000, 3_000_000] : [60, 20, 90_000];

describe('a batch of refunds', () => {
  let stack: TestStack;
  let batches: ReturnType<typeof batchesOf>;
  beforeAll(async () => {
    stack = await TestStack.start();
    batches = batchesOf(stack);
  });
  afterAll(() => stack.stop());

  const describeRun = (runId: string) =>
    stack.temporal.client.workflow.getHandle(refundWorkflowId('acme', runId)).describe();

  test(
    `R36, R1: ${rows} rows, the worker killed after ${killedAt}: nothing is done again, every row exactly once`,
    async () => {
      const paid = await batches.charges(rows);
      const { batchId } = await batches.start(paid.map((charge) => rowOf(charge, '10.00')));
      await batches.approve(batchId, 'lead', 'reviewer2');
      const before = await batches.untilBatch(batchId, ({ counts }) => counts.completed >= killedAt, limitMs);
      await stack.killWorkers();
      expect(before.counts.completed).toBeLessThan(rows);
      const done = (await batches.refundsOf(paid))[1] ?? 0;
      await stack.startWorker();

      const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null, limitMs);
      expect(ended).toMatchObject({ state: 'completed', counts: { completed: rows, left_out: 0 } });
      expect(await batches.refundsOf(paid)).toEqual({ 1: rows });
      if (full)
        process.stdout.write(
          `killed when the provider had made ${done} refunds; at the end ${rows}, one of each payment\n`,
        );
      const [runs] = await query<{ runs: number; effects: number; twice: number }>(
        stack.database.adminUrl,
        `select (select count(*)::int from runs where batch_id = $1) as runs, count(*)::int as effects,
           count(*) filter (where e.state <> 'succeeded')::int as twice
         from effects e join runs r using (run_id) where r.batch_id = $1`,
        [batchId],
      );
      expect(runs).toEqual({ runs: rows, effects: rows, twice: 0 });
      expect(
        await query(stack.database.adminUrl, 'select 1 from batch_items where content is not null'),
      ).toEqual([]);
      expect(await brokenAuditRows(stack, batchId)).toEqual([]);
      expect(await eventsOf(stack, batchId)).toEqual(
        expect.arrayContaining(['batch_requested', 'manifest_frozen', 'batch_opened', 'batch_completed']),
      );
      await until(async () => (await query(stack.database.adminUrl, 'select 1 from outbox')).length === 0);
      expect((await describeRun(batchId)).historyLength).toBeLessThan(20_000);
    },
    2 * limitMs,
  );

  test('R35, R27: a batch goes on in a new execution before its history is long, and misses no row of the one before', async () => {
    const paid = await batches.charges(24);
    const { batchId } = await batches.start(paid.map((charge) => rowOf(charge, '10.00')));
    await batches.untilBatch(batchId, ({ approval }) => approval !== null);
    const handle = stack.temporal.client.workflow.getHandle(refundWorkflowId('acme', batchId));
    const { taskQueue } = await handle.describe();
    // The same batch, carried from its rows alone by executions of eight rows each.
    await handle.terminate('carried on by hand');
    const carried = await stack.temporal.client.workflow.start('refundBatch', {
      workflowId: refundWorkflowId('acme', batchId),
      taskQueue,
      args: [
        {
          ...{
            tenant: 'acme',
            runId: batchId,
            paymentId: batchId,
            requester: 'service',
            rowsPerExecution: 8,
          },
          arguments: { amount: { minor: 24_000, currency: 'USD' }, reason: 'damaged' },
        },
      ],
    });
    // Another execution has another epoch, so people are asked anew (R27).
    const approvalId = `apr_${batchId}`;
    await until(async () => (await stack.as('service').approval(approvalId)).revision === 2);
    await batches.approve(batchId, 'reviewer1');
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended.counts.completed).toBe(24);
    expect(await batches.refundsOf(paid)).toEqual({ 1: 24 });
    expect((await describeRun(batchId)).runId).not.toBe(carried.firstExecutionRunId);
  });

  test('R20: rows that changed since the manifest was approved are left out and named, the rest is paid', async () => {
    const [disputed = '', gone = '', ...fine] = await batches.charges(6);
    const { batchId } = await batches.start(
      [disputed, gone, ...fine].map((charge) => rowOf(charge, '60.00')),
    );
    const approval = await batches.approve(batchId);
    expect(approval).toMatchObject({ action: 'issue_refund_batch', target: batchId, needed: 1 });
    await stack.provider.admin('POST', 'disputes', { charge: disputed, amount: 10_000 });
    await stack.provider.stripe.refunds.create({ charge: gone, amount: 9_000 });
    const edit = { arguments: { amount: { value: '1.00', currency: 'USD' } } };
    expect(await stack.as('reviewer1').decide(approval, 'edit', edit)).toMatchObject({
      status: 422,
      body: { code: 'batch_not_editable' },
    });
    await batches.approve(batchId, 'reviewer1');
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended.counts).toMatchObject({ completed: 4, rejected: 2 });
    const codes = (await batches.items(batchId)).map(({ outcome, code }) => `${outcome} ${code ?? ''}`);
    expect(codes).toEqual([
      'rejected payment_disputed',
      'rejected exceeds_remaining',
      ...fine.map(() => 'completed '),
    ]);
    expect(await batches.refundsOf(fine)).toEqual({ 1: 4 });
    expect(await batches.refundsOf([disputed])).toEqual({ 0: 1 });
  });

  test('R28: paused, no further row starts; resumed, it goes on; cancelled, what has not started never does', async () => {
    const paid = await batches.charges(64);
    const { batchId } = await batches.start(paid.map((charge) => rowOf(charge, '2.00')));
    await batches.approve(batchId, 'reviewer1');
    await batches.untilBatch(batchId, ({ counts }) => counts.completed >= 5);
    expect((await batches.order(batchId, 'pause')).body.paused).toMatchObject({ by: 'service' });
    const still = await batches.untilBatch(batchId, ({ counts }) => counts.running === 0);
    expect(still.counts.waiting).toBeGreaterThan(0);
    // An interactive refund is not held by it.
    const charge = await stack.provider.charge(10_000);
    const alone = await stack.as('service').startRefund({ paymentId: charge, amount: '5.00' });
    await stack.as('service').untilPhase(alone.body.runId, 'completed');
    expect((await batches.show(batchId)).counts).toEqual(still.counts);

    expect((await batches.order(batchId, 'resume')).body.paused).toBeNull();
    await batches.untilBatch(batchId, ({ counts }) => counts.completed > still.counts.completed);
    expect(await batches.order(batchId, 'cancel', 'reviewer1')).toMatchObject({ status: 403 });
    expect((await batches.order(batchId, 'cancel')).status).toBe(200);
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended).toMatchObject({ state: 'cancelled', cancelledBy: 'service' });
    expect(ended.counts.completed + ended.counts.left_out).toBe(64);
    expect((await batches.refundsOf(paid))[1]).toBe(ended.counts.completed);
    expect(await batches.order(batchId, 'pause')).toMatchObject({
      status: 409,
      body: { code: 'batch_ended' },
    });
  });

  test('approved each: rows are asked about one by one, and the batch ends with the last answer', async () => {
    const paid = await batches.charges(4);
    const values = ['10.00', '60.00', '70.00', '80.00'];
    const file = paid.map((charge, i) => rowOf(charge, values[i] ?? '1.00'));
    const { batchId } = await batches.start(file, { approval: 'each' });
    await batches.untilBatch(
      batchId,
      ({ counts }) => counts.waiting_approval === 3 && counts.completed === 1,
    );
    const [, second, third] = await batches.items(batchId);
    for (const [item, decision] of [
      [second, 'approve'],
      [third, 'reject'],
    ] as const) {
      const approval = await stack.as('service').approval((item?.runId ?? '').replace('run_', 'apr_'));
      expect((await stack.as('reviewer1').decide(approval, decision)).status).toBe(200);
    }
    await batches.untilBatch(batchId, ({ counts }) => counts.completed === 2 && counts.rejected === 1);
    await batches.order(batchId, 'cancel');
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended).toMatchObject({ state: 'cancelled', counts: { completed: 2, rejected: 1, cancelled: 1 } });
    expect(await batches.refundsOf(paid)).toEqual({ 0: 2, 1: 2 });
  });

  waitingManifest(() => stack);
  sharing(() => stack);
});

import { query } from '../support/database';
import type { TestStack } from '../support/stack';
import { batchesOf, rowOf } from './batchFixture';

/** How batches share workers with refunds that come alone, and with each other; over a stack that runs already. */
export function sharing(running: () => TestStack): void {
  test('a batch never stands in the way of refunds that come alone, nor of the batch of another tenant', async () => {
    const [ours, others] = [batchesOf(running()), batchesOf(running(), 'globex')];
    const [many, few, alone] = [await ours.charges(80), await others.charges(3), await ours.charges(3)];
    const { batchId: long } = await ours.start(many.map((charge) => rowOf(charge, '2.00')));
    await ours.approve(long, 'reviewer1');
    await ours.untilBatch(long, ({ counts }) => counts.running > 0);
    const { batchId: short } = await others.start(few.map((charge) => rowOf(charge, '2.00')));
    await others.approve(short, 'reviewer1');
    const service = running().as('service');
    const paid = async () => (await ours.show(long)).counts.completed;
    const overtaken: number[] = [];
    for (const paymentId of alone) {
      const before = await paid();
      const started = await service.startRefund({ paymentId, amount: '5.00' });
      await service.untilPhase(started.body.runId, 'completed');
      overtaken.push((await paid()) - before);
    }
    // In the batch's own queue, each would wait until all that moves of it, some forty rows, had been paid.
    expect(overtaken.sort((a, b) => a - b)[1]).toBeLessThan(20);
    await others.untilBatch(short, ({ counts }) => counts.completed === 3);
    const { counts } = await ours.show(long);
    expect(counts.waiting + counts.running).toBeGreaterThan(0);
    await ours.order(long, 'cancel');
    await ours.untilBatch(long, ({ endedAt }) => endedAt !== null);
  });

  test('tenants take turns in the queue of batches: whoever comes last does not wait for all that another has queued', async () => {
    const stack = running();
    await stack.killWorkers('SIGTERM');
    const [charge = '', foreign = ''] = await batchesOf(stack).charges(2);
    const queued: string[] = [];
    for (const [tenant, paymentId, count] of [
      ['acme', charge, 12],
      ['globex', foreign, 2],
    ] as const)
      for (let n = 0; n < count; n += 1) {
        const started = await batchesOf(stack, tenant).start([rowOf(paymentId)], { dryRun: 'true' });
        queued.push(started.batchId);
      }
    await stack.startWorker({ COUNTERSIGN_BULK_CONCURRENCY: '2' });
    for (const batchId of queued.slice(0, 12))
      await batchesOf(stack).untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    const ended = await query<{ tenant: string }>(
      stack.database.adminUrl,
      'select tenant from batches where batch_id = any ($1) and ended_at is not null order by ended_at',
      [queued],
    );
    expect(ended.map(({ tenant }) => tenant).lastIndexOf('globex')).toBeLessThan(7);
    expect(ended).toHaveLength(14);
  });
}

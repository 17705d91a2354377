import { query } from '../support/database';
import type { TestStack } from '../support/stack';
import { batchesOf, rowOf } from './batchFixture';

/** How batches share workers with refunds that come alone, and with each other; over a stack that runs already. */
export function sharing(running: () => TestStack): void {
  /** So many refunds, one after the other. @returns what the one in the middle took, ms */
  async function alone(count: number): Promise<number> {
    const service = running().as('service');
    const took: number[] = [];
    for (const paymentId of await batchesOf(running()).charges(count)) {
      const from = performance.now();
      const started = await service.startRefund({ paymentId, amount: '5.00' });
      await service.untilPhase(started.body.runId, 'completed');
      took.push(performance.now() - from);
    }
    return took.sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
  }

  test('a batch never stands in the way of refunds that come alone, nor of the batch of another tenant', async () => {
    const [ours, others] = [batchesOf(running()), batchesOf(running(), 'globex')];
    const [many, few] = [await ours.charges(120), await others.charges(3)];
    const before = await alone(5);
    const { batchId: long } = await ours.start(many.map((charge) => rowOf(charge, '2.00')));
    await ours.approve(long, 'reviewer1');
    await ours.untilBatch(long, ({ counts }) => counts.running > 0);
    const { batchId: short } = await others.start(few.map((charge) => rowOf(charge, '2.00')));
    await others.approve(short, 'reviewer1');
    const during = await alone(9);
    await others.untilBatch(short, ({ endedAt }) => endedAt !== null);
    const ofLong = await ours.show(long);
    expect(ofLong.counts.waiting + ofLong.counts.running).toBeGreaterThan(0);
    expect(during / before).toBeLessThan(5);
    await ours.untilBatch(long, ({ endedAt }) => endedAt !== null, 90_000);
  });

  test('tenants take turns in the queue of batches: whoever comes last does not wait for all that another has queued', async () => {
    const stack = running();
    await stack.killWorkers('SIGTERM');
    const [charge = '', foreign = ''] = await batchesOf(stack).charges(2);
    const queued: string[] = [];
    for (const [tenant, paymentId, count] of [
      ['acme', charge, 16],
      ['globex', foreign, 2],
    ] as const)
      for (let n = 0; n < count; n += 1) {
        const started = await batchesOf(stack, tenant).start([rowOf(paymentId)], { dryRun: 'true' });
        queued.push(started.batchId);
      }
    const slow = await stack.startWorker({ COUNTERSIGN_BULK_CONCURRENCY: '2' });
    for (const batchId of queued.slice(0, 16))
      await batchesOf(stack).untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    const ended = await query<{ tenant: string }>(
      stack.database.adminUrl,
      'select tenant from batches where batch_id = any ($1) and ended_at is not null order by ended_at',
      [queued],
    );
    expect(ended.map(({ tenant }) => tenant).lastIndexOf('globex')).toBeLessThan(9);
    expect(ended).toHaveLength(18);
    await Promise.all([slow.kill(), stack.startWorker()]);
  });
}

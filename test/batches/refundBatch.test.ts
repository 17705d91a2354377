import { refundWorkflowId } from '../../src/domain/contract';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { brokenAuditRows, eventsOf } from '../workflows/evidence';
import { batchesOf, rowOf } from './batchFixture';

describe('a batch of refunds', () => {
  let stack: TestStack;
  let batches: ReturnType<typeof batchesOf>;
  beforeAll(async () => {
    stack = await TestStack.start();
    batches = batchesOf(stack);
  });
  afterAll(() => stack.stop());

  const charges = (count: number) =>
    Promise.all(Array.from({ length: count }, () => stack.provider.charge(10_000)));

  test('R36: a batch whose worker is killed in the middle does nothing twice, and every row exactly once', async () => {
    const paid = await charges(60);
    const { batchId } = await batches.start(paid.map((charge) => rowOf(charge)));
    await batches.approve(batchId, 'reviewer1', 'reviewer2');
    await batches.untilBatch(batchId, ({ counts }) => counts.completed >= 15);
    await stack.killWorkers();
    const before = await batches.show(batchId);
    expect(before.counts.completed).toBeLessThan(60);
    await stack.startWorker();

    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null, 90_000);
    expect(ended).toMatchObject({ state: 'completed', counts: { completed: 60, left_out: 0 } });
    for (const charge of paid) expect(await stack.provider.refunds(charge)).toHaveLength(1);
    expect(new Set((await batches.items(batchId)).map(({ runId }) => runId)).size).toBe(60);
    expect(await brokenAuditRows(stack, batchId)).toEqual([]);
    expect(await eventsOf(stack, batchId)).toEqual(
      expect.arrayContaining(['batch_requested', 'manifest_frozen', 'batch_opened', 'batch_completed']),
    );
    const { status } = await stack.temporal.client.workflow
      .getHandle(refundWorkflowId('acme', batchId))
      .describe();
    expect(status.name).toBe('COMPLETED');
    expect(
      await query(stack.database.adminUrl, `select 1 from batch_items where content is not null`),
    ).toEqual([]);
    await until(async () => (await query(stack.database.adminUrl, 'select 1 from outbox')).length === 0);
  });
});

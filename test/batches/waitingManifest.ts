import { Client } from 'pg';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { balanceOf, eventsOf } from '../workflows/evidence';
import { batchesOf, rowOf } from './batchFixture';

/** A manifest between its approval and its rows, and one that nobody decides; over a stack that runs already. */
export function waitingManifest(running: () => TestStack): void {
  test('R23: approvers who may not approve any more when the rows come: nothing starts, and every row is named', async () => {
    const stack = running();
    const batches = batchesOf(stack);
    const paid = await batches.charges(3);
    const { batchId } = await batches.start(paid.map((charge) => rowOf(charge, '60.00')));
    await batches.untilBatch(batchId, ({ approval }) => approval !== null);
    await batches.order(batchId, 'pause');
    await batches.approve(batchId, 'reviewer2');
    await batches.untilBatch(batchId, ({ state }) => state === 'running');
    const activity = (active: boolean) =>
      query(
        stack.database.adminUrl,
        `update principals set active = $1 where tenant = 'acme' and id = 'reviewer2'`,
        [active],
      );
    await activity(false);
    await batches.order(batchId, 'resume');
    const ended = await batches
      .untilBatch(batchId, ({ endedAt }) => endedAt !== null)
      .finally(() => activity(true));
    expect(ended).toMatchObject({ state: 'completed', counts: { left_out: 3, rejected: 0, completed: 0 } });
    const named = (await batches.items(batchId)).map(({ code, runId }) => [code, runId]);
    expect(named).toEqual(paid.map(() => ['batch_approval_void', null]));
    expect(await batches.refundsOf(paid)).toEqual({ 0: 3 });
  });

  test('R28, R31: of a manifest that nobody decides people are reminded, more are asked, and it expires; nothing is held or paid', async () => {
    const stack = running();
    const batches = batchesOf(stack);
    const paid = await batches.charges(2);
    const { batchId } = await batches.start(paid.map((charge) => rowOf(charge, '60.00')));
    const open = await batches.approve(batchId);
    await stack.temporal.skipTime('acme', batchId);
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended).toMatchObject({
      state: 'expired',
      approval: { status: 'expired' },
      counts: { left_out: 2 },
    });
    const told = await query<{ key: string }>(
      stack.database.adminUrl,
      'select key from notifications where run_id = $1 order by created_at, key',
      [batchId],
    );
    expect(told.map(({ key }) => key)).toEqual([
      ...['24:approvers', '48:approvers', '48:finance-lead'].map((rung) => `${batchId}:remind:${rung}`),
    ]);
    expect(await eventsOf(stack, batchId)).toEqual([
      ...['batch_requested', 'manifest_frozen', 'approval_opened', 'reminded', 'escalated', 'batch_expired'],
    ]);
    const late = await stack.as('reviewer1').decide(open, 'approve');
    expect([late.status, late.body.code]).toEqual([409, 'approval_expired']);
    for (const charge of paid)
      expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
    expect(await batches.refundsOf(paid)).toEqual({ 0: 2 });
    const [runs] = await query<{ n: number }>(
      stack.database.adminUrl,
      'select count(*)::int as n from runs where batch_id = $1',
      [batchId],
    );
    expect(runs).toEqual({ n: 0 });
  });

  test('R34: of two orders of one version the second is told that it is old, and changes nothing', async () => {
    const stack = running();
    const batches = batchesOf(stack);
    const [charge = ''] = await batches.charges(1);
    const { batchId } = await batches.start([rowOf(charge, '60.00')]);
    await batches.approve(batchId);
    const { version } = await batches.show(batchId);
    const answers = await Promise.all([
      batches.order(batchId, 'pause', 'service', version),
      batches.order(batchId, 'cancel', 'service', version),
    ]);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([{ status: 409, body: { code: 'version_conflict' } }]);
    const now = await batches.show(batchId);
    expect(now.paused === null).not.toBe(now.cancelledBy === null);
    for (const bad of [0, 2 ** 31, '1'])
      expect(await batches.order(batchId, 'cancel', 'service', bad)).toMatchObject({ status: 422 });
    expect((await batches.order(batchId, 'cancel')).status).toBe(200);
    const ended = await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
    expect(ended).toMatchObject({ state: 'cancelled', counts: { left_out: 1 } });
    expect(await batches.order(batchId, 'pause', 'service', version)).toMatchObject({
      body: { code: 'version_conflict' },
    });
  });

  test('R26: a decision that comes while the approval is being opened waits for it, and is not refused as early', async () => {
    const stack = running();
    const batches = batchesOf(stack);
    const [charge = ''] = await batches.charges(1);
    const blocking = new Client({ connectionString: stack.database.adminUrl });
    await blocking.connect();
    // Whoever opens an approval waits; whoever reads does not.
    await blocking.query('begin; lock table approvals in exclusive mode');
    const { batchId } = await batches.start([rowOf(charge, '60.00')]);
    const waiting = `select 1 from pg_locks where relation = 'approvals'::regclass and not granted`;
    await until(async () => (await query(stack.database.adminUrl, waiting)).length > 0);
    const named = { approvalId: `apr_${batchId}`, decisionId: 'early', proposalHash: '0' };
    const early = await stack.temporal.handle('acme', batchId).startUpdate('decide', {
      args: [{ kind: 'recorded', decision: 'approve', ...named }],
      waitForStage: 'ACCEPTED',
    });
    await blocking.query('rollback');
    await blocking.end();
    // Nobody has recorded it, which the loop finds out once the approval is there.
    expect(await early.result()).toMatchObject({ accepted: false, code: 'signature_invalid' });
    await batches.order(batchId, 'cancel');
    await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
  });
}

import { sweepScheduleId } from '../../src/adapters/temporal/retention';
import { scheduleSweeps } from '../../src/main/retentionSchedules';
import { readSettings } from '../../src/main/settings';
import { batchesOf, rowOf } from '../batches/batchFixture';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { auditOf } from './evidence';

interface Ground {
  readonly stack: () => TestStack;
  /** @returns the id of a refund that is completed */
  readonly paid: (more: Record<string, unknown>) => Promise<string>;
  readonly executionsOf: (runId: string) => Promise<number>;
  readonly tablesWith: (text: string) => Promise<Record<string, number>>;
}

/** What is kept no longer goes by itself; over a stack that runs already. */
export function retentionSweep({ stack: running, paid, executionsOf, tablesWith }: Ground): void {
  const rowsOf = (stack: TestStack, text: string, values: unknown[] = []) =>
    query(stack.database.adminUrl, text, values);

  describe('a retention sweep', () => {
    test('R49: takes what finished refunds and rows of dry runs hold of persons after 30 days, leaves what is held, and counts it', async () => {
      const stack = running();
      const [old, fresh, held] = [
        await paid({ customerId: 'cus_old', note: 'old note' }),
        await paid({ customerId: 'cus_fresh', note: 'fresh note' }),
        await paid({ customerId: 'cus_kept', note: 'held note' }),
      ];
      const batches = batchesOf(stack);
      const [charge = ''] = await batches.charges(1);
      const { batchId } = await batches.start([rowOf(charge, '1.00', { customerId: 'cus_old' })], {
        dryRun: 'true',
      });
      await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
      const hold = { scope: 'run', subject: held, reason: 'audit of the year' };
      await stack.as('admin').call('POST', '/v1/admin/holds', hold);
      await rowsOf(stack, `update runs set updated_at = now() - interval '31 days' where run_id = any ($1)`, [
        [old, held],
      ]);
      await rowsOf(stack, `update batches set ended_at = now() - interval '31 days'`);
      await rowsOf(stack, `update payments set read_at = now() - interval '31 days'`);
      const due = await stack.as('admin').call('GET', '/v1/admin/retention/due');
      expect(due.body).toMatchObject({ due: { runs: 1, payments: 0, batch_items: 1 }, holds: 1 });
      expect((await stack.as('service').refund(old)).note).toBe('old note');

      const started = await stack.as('admin').call('POST', '/v1/admin/retention/sweeps');
      const sweepId = started.body.sweepId as string;
      await until(async () => (await auditOf(stack, sweepId)).length === 1);
      const [swept] = await auditOf(stack, sweepId);
      expect(swept).toMatchObject({
        event: 'retention_swept',
        actor: 'admin',
        after: {
          swept: { runs: 1, batch_items: 1 },
          rule: { runDays: 30, memoryDays: 1_095, turnDays: 90 },
          holds: 1,
        },
      });
      expect(await tablesWith('cus_old')).toEqual({});
      await until(async () => (await executionsOf(old)) === 0);
      expect((await stack.as('service').refund(fresh)).note).toBe('fresh note');
      expect((await stack.as('service').refund(held)).note).toBe('held note');
      expect((await stack.as('admin').call('GET', '/v1/admin/retention/due')).body.due.runs).toBe(0);
    });

    test('each tenant is swept by a schedule, which a setting moves or takes away', async () => {
      const stack = running();
      const { client } = stack.temporal;
      const store = { tenants: async () => ['scheduled'] };
      const round = (cron: string) =>
        scheduleSweeps(readSettings({ COUNTERSIGN_RETENTION_SCHEDULE: cron }), store, { client })();
      const described = () => client.schedule.getHandle(sweepScheduleId('scheduled')).describe();
      await round('');
      expect(await described()).toMatchObject({
        spec: { calendars: [{ hour: [{ start: 2 }], minute: [{ start: 47 }] }] },
        policies: { overlap: 'SKIP' },
        action: { workflowType: 'memoryRetention', args: [{ tenant: 'scheduled', requestedBy: 'schedule' }] },
      });
      await round('off');
      await expect(described()).rejects.toThrow();
    });
  });
}

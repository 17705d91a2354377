import type { ScheduleDescription } from '@temporalio/client';
import { ensureSchedule, removeSchedule, scheduleIdOf } from '../../src/adapters/temporal/reconciliations';
import { readSettings } from '../../src/main/settings';
import { scheduleReconciliations } from '../../src/main/reconciliationSchedules';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { differencesOf, paid, reconciled, withoutEvents } from './reconciling';

let stack: TestStack;
beforeAll(async () => {
  // Here both are on: what an installation has that sets nothing.
  stack = await TestStack.start({ env: { COUNTERSIGN_RECONCILE_SCHEDULE: '' } });
  await withoutEvents(stack);
});
afterAll(() => stack.stop());

const described = (tenant: string): Promise<ScheduleDescription> =>
  stack.temporal.client.schedule.getHandle(scheduleIdOf(tenant)).describe();

test('the API makes one schedule a tenant, nightly, which leaves out a run while one is running', async () => {
  await until(() =>
    described('globex').then(
      () => true,
      () => false,
    ),
  );
  for (const tenant of ['acme', 'globex']) {
    const { spec, policies, action, state } = await described(tenant);
    expect(spec.calendars?.[0]).toMatchObject({ hour: [{ start: 3 }], minute: [{ start: 17 }] });
    expect(policies.overlap).toBe('SKIP');
    expect(state.paused).toBe(false);
    expect(action).toMatchObject({
      workflowType: 'reconcile',
      taskQueue: 'countersign',
      args: [{ tenant, windowDays: 35, requestedBy: 'schedule' }],
    });
  }
});

test('what the schedule starts is a whole reconciliation of that tenant', async () => {
  await stack.temporal.client.schedule.getHandle(scheduleIdOf('acme')).trigger();
  const finished = () =>
    query<{ tenant: string; requested_by: string }>(
      stack.database.adminUrl,
      `select tenant, requested_by from reconciliations where state = 'finished'`,
    );
  await until(async () => (await finished()).length > 0);
  expect(await finished()).toEqual([{ tenant: 'acme', requested_by: 'schedule' }]);
});

test('made again it is the same one; changed settings change it, a pause of an operator stays, and off removes it', async () => {
  const { client } = stack.temporal;
  const store = { tenants: async () => ['scheduled'] };
  const round = (cron: string) =>
    scheduleReconciliations(
      { ...readSettings({ COUNTERSIGN_RECONCILE_SCHEDULE: cron }), COUNTERSIGN_RECONCILE_WINDOW_DAYS: 7 },
      store,
      { client },
    )();
  await Promise.all([round('5 4 * * *'), round('5 4 * * *')]);
  await client.schedule.getHandle(scheduleIdOf('scheduled')).pause('an operator');
  await ensureSchedule(client, 'scheduled', { cron: '6 5 * * *', windowDays: 8 });
  const now = await described('scheduled');
  expect(now.spec.calendars).toHaveLength(1);
  expect(now.spec.calendars?.[0]).toMatchObject({ hour: [{ start: 5 }], minute: [{ start: 6 }] });
  expect(now.action).toMatchObject({ args: [{ windowDays: 8 }] });
  expect(now.state).toMatchObject({ paused: true, note: 'an operator' });
  await round('off');
  await expect(described('scheduled')).rejects.toThrow();
  await removeSchedule(client, 'scheduled');
});

test('a setting that is no cron expression is refused by name', () => {
  expect(() => readSettings({ COUNTERSIGN_RECONCILE_SCHEDULE: 'daily' })).toThrow(
    'COUNTERSIGN_RECONCILE_SCHEDULE',
  );
});

test('R16: a payment on which a refund has just moved is left for the next time', async () => {
  const charge = await stack.provider.charge(20_000);
  const { runId, refundId } = await paid(stack, charge, '10.00');
  await stack.provider.admin('POST', `refunds/${refundId}`, { status: 'failed' });
  const done = await reconciled(stack);
  expect(done).toMatchObject({ state: 'finished', inFlight: 1, differences: 0 });
  expect(await differencesOf(stack, charge)).toEqual([]);
  expect((await stack.as('service').refund(runId)).phase).toBe('completed');
});

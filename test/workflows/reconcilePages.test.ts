import { randomUUID } from 'node:crypto';
import { reconcileWorkflowId, taskQueues, workflowTypes } from '../../src/domain/contract';
import type { ReconcileInput } from '../../src/domain/reconciliation/difference';
import { until } from '../support/processes';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { ended, paid, seen, withoutEvents, withoutGrace } from './reconciling';

const byHand = 240;
const payments = 30;
let stack: TestStack;
let charges: string[];

/** 255 refunds over 30 payments: 240 made by hand, 15 ours. */
beforeAll(async () => {
  stack = await TestStack.start({ env: withoutGrace });
  await withoutEvents(stack);
  charges = await Promise.all(Array.from({ length: payments }, () => stack.provider.charge(20_000)));
  await eachOf(charges.slice(0, payments / 2), (charge) => paid(stack, charge, '1.00'));
  await eachOf(
    Array.from({ length: byHand }, (_, i) => charges[i % payments]!),
    (charge) => stack.provider.stripe.refunds.create({ charge, amount: 100 }),
  );
  // The other half was taken in an hour ago, and nothing has been refunded through us since.
  await eachOf(charges.slice(payments / 2), async (charge) => {
    await query(
      stack.database.adminUrl,
      `insert into payments (account, payment_id, tenant, currency, captured, paid_at, read_at)
       values ('default', $1, 'acme', 'USD', 20000, now(), now() - interval '1 hour')`,
      [charge],
    );
  });
}, 120_000);
afterAll(() => stack.stop());

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
}

/** As the schedule starts it, in smaller steps than usual. */
async function start(steps: Pick<ReconcileInput, 'pageSize' | 'pagesPerExecution'>): Promise<string> {
  const id = `rec_${randomUUID()}`;
  const input: ReconcileInput = {
    tenant: 'acme',
    windowDays: 1,
    requestedBy: 'schedule',
    reconciliationId: id,
    ...steps,
  };
  await stack.temporal.client.workflow.start(workflowTypes.reconcile, {
    workflowId: reconcileWorkflowId('acme', id),
    taskQueue: taskQueues.refunds,
    args: [input],
  });
  return id;
}

async function elsewhere(): Promise<Map<string, number>> {
  const rows = await query<{ payment_id: string; sum: number }>(
    stack.database.adminUrl,
    'select payment_id, refunded_elsewhere::int as sum from payments',
  );
  return new Map(rows.map((row) => [row.payment_id, row.sum]));
}

async function noted(): Promise<{ items: number; entries: number }> {
  const [row] = await query<{ items: number; entries: number }>(
    stack.database.adminUrl,
    `select (select count(*)::int from reconciliation_differences where kind = 'refund_by_hand') as items,
       (select count(*)::int from ledger_entries where run_id is null and refunded > 0) as entries`,
  );
  return row!;
}

test('R32: a worker killed between pages: another goes on, nothing is lost, and no payment is compared twice with effect', async () => {
  const id = await start({ pageSize: 40, pagesPerExecution: 2 });
  await until(async () => (await seen(stack, id)).pages >= 2);
  await stack.killWorkers();
  const atDeath = await seen(stack, id);
  expect(atDeath.state).toBe('running');
  await stack.startWorker();
  const done = await ended(stack, id);

  expect(done.pages).toBeGreaterThan(atDeath.pages);
  // 255 refunds are seven pages of 40; our own movements and what was open come after.
  expect(done.pages).toBeGreaterThanOrEqual(9);
  expect(done).toMatchObject({ compared: payments, differences: byHand, inFlight: 0 });
  // A payment is adopted with one movement, whatever was begun twice.
  expect(await noted()).toEqual({ items: byHand, entries: payments });
  const sums = await elsewhere();
  expect(charges.map((charge) => sums.get(charge))).toEqual(charges.map(() => (byHand / payments) * 100));
});

test('R35: it continues as new after a number of pages, as one reconciliation', async () => {
  const id = await start({ pageSize: 40, pagesPerExecution: 2 });
  const done = await ended(stack, id);
  expect(done).toMatchObject({ compared: payments, differences: 0 });
  const result = (await stack.temporal.client.workflow
    .getHandle(reconcileWorkflowId('acme', id))
    .result()) as unknown;
  expect(result).toEqual({ reconciliationId: id, state: 'finished' });
  const [first] = await executionsOf(id);
  expect(first?.events).toBeLessThan(40);
  expect((await executionsOf(id)).length).toBeGreaterThanOrEqual(4);
});

async function executionsOf(id: string): Promise<{ events: number }[]> {
  const found: { events: number }[] = [];
  await until(async () => {
    found.length = 0;
    const list = stack.temporal.client.workflow.list({
      query: `WorkflowId = '${reconcileWorkflowId('acme', id)}'`,
    });
    for await (const { historyLength } of list) found.push({ events: historyLength });
    return found.length >= 4;
  });
  return found;
}

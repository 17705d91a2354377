import { Database } from '../../../src/adapters/postgres/database';
import { PostgresStore } from '../../../src/adapters/postgres/store';
import type { Unit } from '../../../src/ports/store';
import { until } from '../../support/processes';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

const hourMs = 3_600_000;

async function sums(runId: string, windowHours = 24, tenant = 'acme') {
  const since = Date.now() - windowHours * hourMs;
  return ledger.in((unit) => unit.ledger.aggregates(runId, since, since), tenant);
}

async function takenInHoursAgo(runId: string, hours: number): Promise<void> {
  await ledger.rows(`update runs set created_at = now() - $2 * interval '1 hour' where run_id = $1`, [
    runId,
    hours,
  ]);
}

describe('sums for the policy', () => {
  test('R30: a payment: what is held, unknown or paid counts, what was freed or never held does not', async () => {
    const paymentId = await ledger.adopted(100_000);
    const [held, unknown, paid, freed] = await Promise.all(
      [1, 20, 300, 4_000].map((amount) => ledger.reserved(paymentId, amount)),
    );
    await ledger.run(paymentId, 50_000);
    await ledger.in(async (unit) => {
      await unit.ledger.markUnknown(unknown ?? '');
      await unit.ledger.markPaid(paid ?? '');
      await unit.ledger.release(freed ?? '');
    });
    expect(await sums(held ?? '')).toMatchObject({ payment: 321 });
  });

  test('R30: the window rolls by the time of intake', async () => {
    const paymentId = await ledger.adopted(100_000);
    const old = await ledger.reserved(paymentId, 1_000);
    const runId = await ledger.reserved(paymentId, 10);
    await takenInHoursAgo(old, 23.9);
    expect((await sums(runId)).payment).toBe(1_010);
    await takenInHoursAgo(old, 24.1);
    expect((await sums(runId)).payment).toBe(10);
  });

  test('R30: a customer over several payments, in one currency, within the tenant', async () => {
    const mine = { customer: 'cus_1' };
    const first = await ledger.reserved(await ledger.adopted(10_000), 1_000, mine);
    await ledger.reserved(await ledger.adopted(10_000), 200, mine);
    await ledger.reserved(await ledger.adopted(10_000), 30, { customer: 'cus_2' });
    const euros = await ledger.adopted(10_000, { currency: 'EUR' });
    await ledger.reserved(euros, 4, {
      ...mine,
      request: { paymentId: euros, amount: { minor: 4, currency: 'EUR' }, reason: 'damaged' },
    });
    await ledger.reserved(await ledger.adopted(10_000, {}, 'globex'), 5, mine, 'globex');
    expect(await sums(first)).toMatchObject({ payment: 1_000, customer: 1_200 });
  });

  test('R30: without a known customer nobody else counts', async () => {
    const runId = await ledger.reserved(await ledger.adopted(10_000), 70);
    await ledger.reserved(await ledger.adopted(10_000), 60);
    expect(await sums(runId)).toMatchObject({ payment: 70, customer: 0 });
  });

  test('R30: the daily caps count automatic refunds of the principal and of the tenant, this one included', async () => {
    const other = await ledger.reserved(await ledger.adopted(10_000), 1_000, { requester: 'agent' });
    const automatic = await ledger.reserved(await ledger.adopted(10_000), 200, { requester: 'principal' });
    await ledger.reserved(await ledger.adopted(10_000), 30, { requester: 'principal' });
    const runId = await ledger.reserved(await ledger.adopted(10_000), 4, { requester: 'principal' });
    await ledger.in(async (unit) => {
      await unit.runs.change(other, { automatic: true });
      await unit.runs.change(automatic, { automatic: true });
    });
    expect(await sums(runId)).toMatchObject({ automaticByPrincipal: 204, automaticByTenant: 1_204 });
  });

  test('R30: refunds made by hand at the provider count with the payment', async () => {
    const paymentId = await ledger.adopted(10_000, { refundedElsewhere: 4_000 });
    const runId = await ledger.reserved(paymentId, 2_000);
    expect(await sums(runId)).toMatchObject({ payment: 6_000 });
  });
});

describe('with many runs', () => {
  test('R30: no sum reads all of them: each goes by an index', async () => {
    const paymentId = await ledger.adopted(100_000, { customer: 'cus_of_many' });
    const runId = await ledger.reserved(paymentId, 100);
    await ledger.rows(
      `insert into runs (run_id, tenant, phase, requester, payment_id, currency, amount, money, customer, request)
       select 'run_many_' || n, 'acme', 'completed', 'service', 'ch_many_' || n, 'USD', 100, 'paid', 'cus_many_' || n, '{}'
       from generate_series(1, 20000) n`,
    );
    await ledger.rows('analyze runs');
    const since = Date.now() - 24 * hourMs;
    expect(await scansBy((unit) => unit.ledger.aggregates(runId, since, since))).toBe(0);
    // The count is worth something: reading them all is seen.
    expect(
      await scansBy((unit) => unit.runs.list({ customer: 'nobody', phase: 'failed', limit: 1 }), 'off'),
    ).toBe(1);
  });

  /** Sequential scans of the table that `work` caused, as the server counts them when the session has ended. */
  async function scansBy(
    work: (unit: Unit) => Promise<unknown>,
    indexes: 'on' | 'off' = 'on',
  ): Promise<number> {
    const url = new URL(ledger.database.url);
    url.searchParams.set('application_name', 'scan-count');
    if (indexes === 'off')
      url.searchParams.set('options', '-c enable_indexscan=off -c enable_bitmapscan=off');
    const before = await scanned();
    const session = new Database(url.href, 1);
    await new PostgresStore(session).inTenant('acme', work);
    await session.close();
    await until(async () => {
      const left = await ledger.rows(`select from pg_stat_activity where application_name = 'scan-count'`);
      return left.length === 0;
    });
    return (await scanned()) - before;
  }

  async function scanned(): Promise<number> {
    const [row] = await ledger.rows<{ n: string }>(
      `select pg_stat_get_numscans('runs'::regclass) as n, pg_stat_clear_snapshot()`,
    );
    return Number(row?.n);
  }
});

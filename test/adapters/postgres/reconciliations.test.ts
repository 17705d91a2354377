import { Database, type Transaction } from '../../../src/adapters/postgres/database';
import { differencesPage } from '../../../src/adapters/postgres/differences';
import { historyPage } from '../../../src/adapters/postgres/paymentBooks';
import { movementsPage, reconciliationsPage } from '../../../src/adapters/postgres/reconciliations';
import { difference } from '../../../src/domain/reconciliation/compare';
import type { Progress } from '../../../src/domain/reconciliation/difference';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

let made = 0;
async function reconciliation(tenant = 'acme'): Promise<string> {
  made += 1;
  const id = `rec_${made}`;
  await ledger.in((unit) => unit.reconciliations.create({ id, requestedBy: 'a', from: 0, to: 1 }), tenant);
  return id;
}

const missing = (refundId: string, status = 'succeeded') =>
  difference('refund_missing', { refundId, ours: { status }, theirs: null, explanation: 'e' });

describe('differences', () => {
  const of = async (paymentId: string) =>
    (await ledger.in((unit) => unit.differences.list({ limit: 200 }))).items.filter(
      (item) => item.paymentId === paymentId,
    );
  const found = (id: string, paymentId: string, ...differences: ReturnType<typeof missing>[]) =>
    ledger.in((unit) => unit.differences.replace(id, paymentId, differences));

  test('the same one found again is one item; gone ones are closed, and open again when they come back', async () => {
    const [first, second] = [await reconciliation(), await reconciliation()];
    await found(first, 'ch_a', missing('re_1'), missing('re_2'));
    await found(second, 'ch_a', missing('re_2'));
    expect((await of('ch_a')).map(({ refundId, status }) => [refundId, status])).toEqual([
      ['re_1', 'gone'],
      ['re_2', 'open'],
    ]);
    await found(second, 'ch_a', missing('re_1'));
    expect((await of('ch_a')).map(({ refundId, status }) => [refundId, status])).toEqual([
      ['re_1', 'open'],
      ['re_2', 'gone'],
    ]);
  });

  test('another payment with the same figures is another item, and is not closed with it', async () => {
    const id = await reconciliation();
    await found(id, 'ch_b', missing('re_3'));
    await found(id, 'ch_c', missing('re_3'));
    await found(id, 'ch_b');
    expect((await of('ch_b')).map(({ status }) => status)).toEqual(['gone']);
    expect((await of('ch_c')).map(({ status }) => status)).toEqual(['open']);
  });

  test('R38: the same difference of two tenants is two items', async () => {
    await found(await reconciliation(), 'ch_d', missing('re_4'));
    const theirs = await reconciliation('globex');
    await ledger.in((unit) => unit.differences.replace(theirs, 'ch_d', [missing('re_4')]), 'globex');
    expect(await of('ch_d')).toHaveLength(1);
    expect(
      await ledger.rows(`select 1 from reconciliation_differences where payment_id = 'ch_d'`),
    ).toHaveLength(2);
  });

  test('R34: two who dismiss at once: one does, the other is told', async () => {
    await found(await reconciliation(), 'ch_e', missing('re_5'));
    const [item] = await of('ch_e');
    const answers = await Promise.all(
      ['lead', 'lead2'].map((who) => ledger.in((unit) => unit.differences.dismiss(item!.id, who, 'c'))),
    );
    expect(answers.sort()).toEqual([false, true]);
  });
});

describe('progress', () => {
  const start: Progress = { side: 'provider' };
  const next: Progress = {
    side: 'ours',
    after: { at: '2026-01-01 00:00:00.123456+00', paymentId: 'ch', seq: 1 },
  };

  test('R32: a page that ends twice is counted once, and the second is told where it goes on', async () => {
    const id = await reconciliation();
    const advance = () =>
      ledger.in((unit) => unit.reconciliations.advance(id, start, next, ['ch_1', 'ch_2']));
    expect([await advance(), await advance()]).toEqual([next, next]);
    const stale = await ledger.in((unit) =>
      unit.reconciliations.advance(id, { side: 'provider', after: 're_1' }, { side: 'done' }, ['ch_3']),
    );
    expect(stale).toEqual(next);
    const now = await ledger.in((unit) => unit.reconciliations.find(id));
    expect(now).toMatchObject({ pages: 1, inFlight: 2, progress: next });
  });

  test('R32: a payment that is compared twice is counted once', async () => {
    const id = await reconciliation();
    const paymentId = await ledger.adopted(1_000);
    for (let i = 0; i < 2; i += 1)
      await ledger.in((unit) => unit.reconciliations.countPayment(id, paymentId, 3));
    const now = await ledger.in((unit) => unit.reconciliations.find(id));
    expect(now).toMatchObject({ compared: 1, differences: 3 });
    expect(await ledger.in((unit) => unit.reconciliations.comparedOf(id, [paymentId, 'ch_none']))).toEqual(
      new Set([paymentId]),
    );
    // That somebody has looked is no movement.
    expect(await ledger.rows('select 1 from ledger_entries where payment_id = $1', [paymentId])).toHaveLength(
      1,
    );
  });
});

describe('pages go by an index, with or without a cursor', () => {
  let database: Database;
  beforeAll(async () => {
    database = new Database(ledger.database.url, 1);
    const id = await reconciliation();
    for (const tenant of ['acme', 'globex']) {
      await ledger.rows(
        `insert into reconciliations (id, tenant, requested_by, window_from, window_to, started_at)
         select $1 || '-' || i, $1, 'schedule', now(), now(), now() - i * interval '1 minute' from generate_series(1, 8000) i`,
        [tenant],
      );
      await ledger.rows(
        `insert into reconciliation_differences (id, tenant, kind, payment_id, reconciliation_id, explanation, status, first_seen, resolved_at)
         select 'dif-' || $1 || i, $1::text, 'refund_missing', 'ch_' || i, $2, 'e', case when i % 4 = 0 then 'open' else 'gone' end,
           now() - i * interval '1 minute', case when i % 4 = 0 then null else now() end from generate_series(1, 8000) i`,
        [tenant, id],
      );
      await ledger.rows(
        `insert into ledger_entries (tenant, account, payment_id, seq, currency, at)
         select $1, 'default', 'ch_' || $1 || i % 2000, i, 'USD', now() - i * interval '1 minute' from generate_series(1, 8000) i`,
        [tenant],
      );
    }
    await ledger.rows(
      `insert into ledger_causes select 'acme', 'run_' || i, i::text::xid8, i from generate_series(1, 8000) i`,
    );
    await ledger.rows('analyze');
  });
  afterAll(() => database.close());

  const cursor = { at: new Date(Date.now() - 4_000 * 60_000).toISOString(), id: 'x' };
  const month = { from: Date.now() - 30 * 86_400_000, to: Date.now(), limit: 100 };
  const after = { at: new Date(Date.now() - 86_400_000).toISOString(), paymentId: 'ch_1', seq: 1 };

  test.each<
    [string, (trx: Transaction) => { explain: (format: 'text') => Promise<unknown> }, string, boolean]
  >([
    [
      'reconciliations',
      (trx) => reconciliationsPage(trx, 'acme', { limit: 50 }),
      'reconciliations_newest',
      true,
    ],
    [
      'reconciliations after',
      (trx) => reconciliationsPage(trx, 'acme', { limit: 50, cursor }),
      'reconciliations_newest',
      true,
    ],
    [
      'differences',
      (trx) => differencesPage(trx, 'acme', { limit: 50 }),
      'reconciliation_differences_all',
      true,
    ],
    [
      'open ones after',
      (trx) => differencesPage(trx, 'acme', { limit: 50, status: 'open', cursor }),
      'reconciliation_differences_by_status',
      true,
    ],
    ['movements', (trx) => movementsPage(trx, 'acme', month), 'ledger_entries_by_time', true],
    [
      'movements after',
      (trx) => movementsPage(trx, 'acme', { ...month, after }),
      'ledger_entries_by_time',
      true,
    ],
    ['a history', (trx) => historyPage(trx, 'acme', 'ch_acme7', 3, 50), 'ledger_entries_pkey', false],
  ])('%s', async (_what, page, index, inOrder) => {
    const rows = (await database.inTenant('acme', (trx) => page(trx).explain('text'))) as {
      'QUERY PLAN': string;
    }[];
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on (reconcil|ledger)/);
    // The index gives the order too: no page sorts what comes after it.
    if (inOrder) expect(plan).not.toContain('Sort');
  });
});

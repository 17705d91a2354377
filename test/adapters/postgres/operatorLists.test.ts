import { sql } from 'kysely';
import { Database } from '../../../src/adapters/postgres/database';
import { inboxDays } from '../../../src/adapters/postgres/inboxDays';
import type { ApprovalState } from '../../../src/domain/approval/state';
import type { Phase } from '../../../src/domain/contract';
import { lastDays } from '../../../src/domain/time/days';
import type { RunFilter } from '../../../src/ports/runs';
import { openApproval } from '../../domain/approval/approvalFixture';
import { LedgerFixture } from './ledgerFixture';

const hour = 3_600_000;
const day = 24 * hour;
/** Noon of a day in UTC. */
const noon = Date.UTC(2026, 10, 20, 12);

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
});
afterAll(() => ledger.close());

type Ended = Pick<ApprovalState, 'status'> & { readonly after: number };

/** An approval that was opened then and, where it ended, so long after, ms. */
async function approval(openedAt: number, ended?: Ended, tenant = 'acme'): Promise<void> {
  const paymentId = await ledger.adopted(10_000, {}, tenant);
  const runId = await ledger.run(paymentId, 100, {}, tenant);
  const state = openApproval(100, {
    id: runId.replace('run', 'apr'),
    runId,
    tenant,
    proposalHash: runId,
    openedAt,
    deadline: openedAt + 72 * hour,
    ...(ended && {
      status: ended.status,
      decidedBy: { actor: 'ann', decision: ended.status, at: openedAt + ended.after },
    }),
  });
  await ledger.in((unit) => unit.approvals.save(state, 'e'), tenant);
}

describe('day by day', () => {
  test('what came in, was decided, lapsed and waited at the end of each day, with the median time to a decision', async () => {
    await approval(noon - 20 * day);
    await approval(noon - 2 * day, { status: 'approved', after: hour });
    await approval(noon - 2 * day, { status: 'rejected', after: 3 * hour });
    await approval(noon - 2 * day, { status: 'approved', after: day + 2 * hour });
    await approval(noon - 2 * day, { status: 'expired', after: 2 * day });
    await approval(noon - day);
    await approval(noon, { status: 'approved', after: hour }, 'globex');
    const days = await ledger.in((unit) => unit.inbox.daily(lastDays(4, noon, 'UTC')));
    expect(days).toEqual([
      { date: '2026-11-17', opened: 0, decided: 0, lapsed: 0, waiting: 1, medianMs: null },
      { date: '2026-11-18', opened: 4, decided: 2, lapsed: 0, waiting: 3, medianMs: 2 * hour },
      { date: '2026-11-19', opened: 1, decided: 1, lapsed: 0, waiting: 3, medianMs: day + 2 * hour },
      { date: '2026-11-20', opened: 0, decided: 0, lapsed: 1, waiting: 2, medianMs: null },
    ]);
  });

  test('days are those of a time zone, also the one of 23 hours on which its clocks go forward', async () => {
    // In Berlin, 28 March 2027 is 23 hours long: from 23 h of the day before to 22 h in UTC.
    for (const at of ['2027-03-27T22:59:59.999Z', '2027-03-27T23:00:00Z', '2027-03-28T21:59:59Z'])
      await approval(Date.parse(at), { status: 'approved', after: 1 }, 'globex');
    const counted = async (timeZone: string) => {
      const days = lastDays(3, Date.parse('2027-03-29T12:00:00Z'), timeZone);
      const told = await ledger.in((unit) => unit.inbox.daily(days), 'globex');
      return told.map(({ date, opened, decided }) => [date, opened, decided]);
    };
    expect(await counted('Europe/Berlin')).toEqual([
      ['2027-03-27', 1, 0],
      ['2027-03-28', 2, 3],
      ['2027-03-29', 0, 0],
    ]);
    expect((await counted('UTC')).map(([, opened]) => opened)).toEqual([2, 1, 0]);
  });
});

describe('runs are found', () => {
  const phases: Phase[] = ['needs_review', 'completed', 'completed'];
  const ids: string[] = [];
  beforeAll(async () => {
    const paymentId = await ledger.adopted(10_000, {}, 'globex');
    for (const [i, phase] of phases.entries()) {
      const requester = i === 0 ? 'lead' : 'service';
      const runId = await ledger.run(paymentId, 100 * (i + 1), { requester }, 'globex');
      await ledger.in((unit) => unit.runs.change(runId, { phase }), 'globex');
      await ledger.rows(`update runs set created_at = $2 where run_id = $1`, [
        runId,
        new Date(noon + i * hour),
      ]);
      ids.push(runId);
    }
  });

  test.each<[string, Omit<RunFilter, 'limit'>, number[]]>([
    ['by who asked', { requester: 'lead' }, [0]],
    ['from a moment on', { from: noon + hour, to: noon + day }, [2, 1]],
    ['before a moment', { from: noon, to: noon + hour }, [0]],
    ['by amount', { currency: 'USD', amountFrom: 200, amountTo: 299, from: noon }, [1]],
    ['by all of it', { phase: 'completed', requester: 'service', from: noon + 2 * hour }, [2]],
    ['in another currency, never', { currency: 'EUR' }, []],
  ])('%s', async (_how, filter, expected) => {
    const { items } = await ledger.in((unit) => unit.runs.list({ ...filter, limit: 10 }), 'globex');
    expect(items.map(({ runId }) => ids.indexOf(runId))).toEqual(expected);
  });

  test('R38: and counted, phase by phase, each tenant its own', async () => {
    const { byPhase } = await ledger.in((unit) => unit.runs.counts(), 'globex');
    expect(byPhase).toMatchObject({ needs_review: 1, completed: 2, executing: 0 });
    expect((await ledger.in((unit) => unit.runs.counts())).byPhase.completed).toBe(0);
  });
});

test('the days and the runs of one person are read by an index, among many', async () => {
  const database = new Database(ledger.database.url, 1);
  try {
    await ledger.rows(`insert into runs (run_id, tenant, phase, requester, payment_id, currency, amount, request, created_at)
      select 'bulk_' || i, 'acme', 'completed', 'service', 'ch', 'USD', 1, '{}', now() - i * interval '10 minutes'
      from generate_series(1, 8000) i on conflict do nothing`);
    await ledger.rows(`insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, opened_at, deadline)
      select run_id, tenant, run_id, 'e', 'approved', 'g', 1, 'USD',
        jsonb_build_object('decidedBy', jsonb_build_object('at', (extract(epoch from created_at) * 1000)::bigint)),
        created_at - interval '200 days', created_at from runs where run_id like 'bulk%' on conflict do nothing`);
    await ledger.rows('analyze runs, approvals');
    const plan = async (
      explained: (trx: Parameters<Parameters<Database['inTenant']>[1]>[0]) => Promise<unknown>,
    ) => JSON.stringify(await database.inTenant('acme', explained));
    const days = await plan((trx) =>
      sql`explain ${inboxDays('acme', lastDays(3, Date.now(), 'UTC'))}`.execute(trx),
    );
    expect(days).toContain('approvals_by_end');
    expect(days).not.toContain('Seq Scan');
    const person = await plan((trx) =>
      sql`explain select * from runs where tenant = 'acme' and requester = 'lead'
        order by created_at desc, run_id desc limit 51`.execute(trx),
    );
    expect(person).toContain('runs_by_requester');
  } finally {
    await database.close();
  }
});

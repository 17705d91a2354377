import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../../src/main/version';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
let runId: string;
/** In Berlin the hour from 2 to 3 happens twice on this day: the second time begins now. */
const change = Date.UTC(2026, 9, 25, 1);
const hourMs = 3_600_000;

beforeAll(async () => {
  ledger = await LedgerFixture.open();
  const of = { customer: 'cus_clock' };
  const asked = async (at: number) => {
    const made = await ledger.reserved(await ledger.adopted(1_000), 10, of);
    await ledger.rows('update runs set created_at = $2 where run_id = $1', [
      made,
      new Date(at).toISOString(),
    ]);
    return made;
  };
  // Just inside and outside an hour, 24 hours and 30 days before half past two, the second time.
  for (const hours of [1, 24, 720])
    for (const ms of [-1, 1]) await asked(change + 0.5 * hourMs - hours * hourMs + ms);
  runId = await asked(change + 0.5 * hourMs);
});
afterAll(() => ledger.close());

/** What a process of ours says in that time zone, by what was built. */
const script = `
  const from = (path) => require(${JSON.stringify(join(packageRoot, 'dist', 'src'))} + '/' + path);
  const { Database } = from('adapters/postgres/database');
  const { PostgresStore } = from('adapters/postgres/store');
  const { checkAdmissible } = from('domain/refund/admission');
  const { checkAddressed } = from('domain/approval/addressed');
  const { stopClock, restartClock, grantGrace, pausedMs } = from('domain/approval/deadline');
  const { age, moment } = from('cli/terminal/time');
  const [url, runId, changeText] = process.argv.slice(1);
  const change = Number(changeText), hour = 3_600_000, now = change + hour / 2;
  const code = (work) => { try { work(); return 'taken'; } catch (error) { return error.code; } };
  const window = (hours) => (late) =>
    code(() => checkAdmissible({ currency: 'USD', captured: 1, paidAt: now - hours * hour - late }, { minor: 1, currency: 'USD' }, hours, now));
  const openedAt = change - 36 * hour, deadline = openedAt + 72 * hour;
  const approval = { id: 'a', status: 'open', revision: 1, proposalHash: 'h', deadline, policy: { policyVersion: '1', infoPauseHours: 12, graceAfterOutageHours: 24 } };
  const decided = (at) => code(() => checkAddressed(approval, { approvalId: 'a', decision: 'approve', proposalHash: 'h' }, at));
  const stopped = stopClock(approval, change - hour);
  (async () => {
    const database = new Database(url, 1);
    const [sums, past] = await new PostgresStore(database).inTenant('acme', async (unit) => [
      await unit.ledger.aggregates(runId, now - 24 * hour, now - 24 * hour),
      await unit.history.factsOf(runId, now),
    ]);
    await database.close();
    console.log(JSON.stringify({
      sums: sums.customer, past: past.customer,
      window: [0, 1].map(window(2160)), decided: [deadline - 1, deadline].map(decided),
      paused: pausedMs(restartClock(stopped, change + hour)) / hour, extended: (stopped.deadline - deadline) / hour,
      grace: (grantGrace(approval, deadline).deadline - deadline) / hour,
      ages: [age(new Date(deadline).toISOString(), openedAt + hour), age(new Date(change - hour).toISOString(), now)],
      told: [change - hour / 2, now].map((at) => moment(new Date(at).toISOString())),
    }));
  })();
`;

async function saysIn(zone: string): Promise<{ told: string[]; [fact: string]: unknown }> {
  const args = ['-e', script, ledger.database.url, runId, String(change)];
  const env = { PATH: process.env['PATH'], TZ: zone };
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout) as {
    told: string[];
  };
}

describe('a clock that is set back or forward', () => {
  test('R28: deadlines, pauses, grace, windows and counts go by elapsed time, whatever the zone of the process; what is printed twice is told apart', async () => {
    const { told: _utc, ...inUtc } = await saysIn('UTC');
    expect(inUtc).toEqual({
      sums: 40,
      past: { refunds: 6, refunded: 60, lastHour: 1, lastDay: 3, last30Days: 5, rejections: 0 },
      window: ['taken', 'payment_too_old'],
      decided: ['taken', 'approval_expired'],
      ...{ paused: 2, extended: 12, grace: 24 },
      ages: ['in 71 h', '1 h ago'],
    });
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']) {
      const { told, ...rest } = await saysIn(zone);
      expect({ zone, rest }).toEqual({ zone, rest: inUtc });
      expect(told[0]).not.toBe(told[1]);
      if (zone === 'Europe/Berlin') expect(told.join()).toMatch(/02:30:00 GMT\+02:00 .*02:30:00 GMT\+01:00 /);
    }
  });
});

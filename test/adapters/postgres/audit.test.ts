import { createHash } from 'node:crypto';
import { query } from '../../support/database';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
beforeAll(async () => {
  ledger = await LedgerFixture.open(20);
});
afterAll(() => ledger.close());

interface Row {
  tenant: string;
  run_id: string;
  seq: number;
  epoch: string;
  actor: string;
  event: string;
  step: string;
  before: string | null;
  after: string | null;
  reason: string | null;
  policy_version: string | null;
  effect_key: string | null;
  provider_id: string | null;
  prev_hash: string;
  hash: string;
}

const rowsOf = (runId: string) =>
  ledger.rows<Row>(
    `select *, before::text as before, after::text as after, extract(epoch from at)::text as epoch
     from audit where run_id = $1 order by seq`,
    [runId],
  );

/** The hash told a second time, outside the database, over the row as it is stored. */
function hashOf(row: Row): string {
  const text = (value: string | null) => (value === null ? 'null' : JSON.stringify(value));
  const members = [
    text(row.tenant),
    text(row.run_id),
    String(row.seq),
    text(row.epoch),
    text(row.actor),
    text(row.event),
    text(row.step),
    row.before ?? 'null',
    row.after ?? 'null',
    text(row.reason),
    text(row.policy_version),
    text(row.effect_key),
    text(row.provider_id),
    text(row.prev_hash),
  ];
  return createHash('sha256')
    .update(`[${members.join(', ')}]`)
    .digest('hex');
}

/** Sequence numbers of rows that don't fit their hash or the row before. */
function broken(rows: Row[]): number[] {
  return rows
    .filter((row, i) => {
      const before = rows[i - 1];
      return (
        row.seq !== i + 1 || row.prev_hash !== (before?.hash ?? '0'.repeat(64)) || row.hash !== hashOf(row)
      );
    })
    .map((row) => row.seq);
}

const entry = (runId: string, step: string) => ({
  runId,
  actor: 'rév"iewer\\1',
  event: 'tested',
  step,
  before: { b: 1, a: [true, null, 'ü"\n'], nested: { amount: 12_000 } },
  after: 'plain',
  reason: 'because\tof "it"',
  policyVersion: 'v1',
  effectKey: `${runId}:issue_refund`,
  providerId: 're_1',
});

async function chain(length: number): Promise<string> {
  const runId = await ledger.run('ch_none', 1);
  for (let i = 0; i < length; i += 1) {
    await ledger.in((unit) => unit.audit.append(i % 2 ? entry(runId, `s${i}`) : minimal(runId, `s${i}`)));
  }
  return runId;
}
const minimal = (runId: string, step: string) => ({ runId, actor: 'a', event: 'e', step });

describe('the audit chain', () => {
  test('R37: every hash can be computed again from its row and the one before', async () => {
    const rows = await rowsOf(await chain(6));
    expect(rows).toHaveLength(6);
    expect(broken(rows)).toEqual([]);
  });

  test('R37: a change to any field of any row, a row left out and a row put in are noticed', async () => {
    const rows = await rowsOf(await chain(4));
    for (const field of Object.keys(rows[1] as Row) as (keyof Row)[]) {
      if (['at', 'hash', 'prev_hash'].includes(field)) continue;
      const changed = rows.map((row, i) =>
        i === 1 ? { ...row, [field]: field === 'seq' ? 9 : `${String(row[field])} ` } : row,
      );
      expect({ field, broken: broken(changed).length > 0 }).toEqual({ field, broken: true });
    }
    expect(broken(rows.filter((_, i) => i !== 1))).not.toEqual([]);
    expect(broken([...rows.slice(0, 2), rows[1] as Row, ...rows.slice(2)])).not.toEqual([]);
  });

  test('R37: forty writers at once leave no gap, no fork and one row a step', async () => {
    const runId = await ledger.run('ch_none', 1);
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        ledger.in((unit) => unit.audit.append(entry(runId, `step ${i % 25}`))),
      ),
    );
    const rows = await rowsOf(runId);
    expect(rows.map((r) => r.seq)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
    expect(new Set(rows.map((r) => r.step)).size).toBe(25);
    expect(broken(rows)).toEqual([]);
  });

  test('R37: who writes chooses neither the number, nor the time, nor the hash', async () => {
    const runId = await chain(1);
    await query(
      ledger.database.ownerUrl,
      `insert into audit (tenant, run_id, seq, at, actor, event, step, prev_hash, hash)
       values ('acme', $1, 77, '2001-01-01', 'forger', 'forged', 'forged', 'x', 'y')`,
      [runId],
    );
    const rows = await rowsOf(runId);
    expect(rows.at(-1)).toMatchObject({ seq: 2, actor: 'forger', prev_hash: rows[0]?.hash });
    expect(Number(rows.at(-1)?.epoch)).toBeGreaterThanOrEqual(Number(rows[0]?.epoch));
    expect(broken(rows)).toEqual([]);
  });

  test.each([
    `update audit set actor = 'nobody' where run_id = $1`,
    `update audit set hash = hash where run_id = $1`,
    `delete from audit where run_id = $1`,
    `truncate audit`,
    `truncate audit, runs cascade`,
  ])('R37: %s is refused, for the application and for the owner of the table', async (statement) => {
    const runId = await chain(2);
    const values = statement.includes('$1') ? [runId] : [];
    const scoped = ledger.database.url;
    await expect(query(scoped, statement, values)).rejects.toMatchObject({ code: '42501' });
    await expect(query(ledger.database.ownerUrl, statement, values)).rejects.toThrow(/append-only/);
    expect(broken(await rowsOf(runId))).toEqual([]);
  });

  test('R37: a step that is undone leaves nothing, and the next row follows on', async () => {
    const runId = await chain(1);
    const undone = ledger.in(async (unit) => {
      await unit.audit.append(minimal(runId, 'undone'));
      throw new Error('taken back');
    });
    await expect(undone).rejects.toThrow('taken back');
    await ledger.in((unit) => unit.audit.append(minimal(runId, 'next')));
    const rows = await rowsOf(runId);
    expect(rows.map((r) => r.step)).toEqual(['s0', 'next']);
    expect(broken(rows)).toEqual([]);
  });
});

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import type { AuditRow } from '../../src/client';
import type { AuditReport } from '../../src/main/audit/verifyAudit';
import { actor } from './actors';
import type { CliRun } from './runCli';

describe('countersign audit', () => {
  let stack: TestStack;
  let admin: ReturnType<typeof actor>;
  let runId: string;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-audit-'));
  beforeAll(async () => {
    stack = await TestStack.start();
    admin = actor(stack, 'admin');
    const approval = await stack
      .as('service')
      .openApproval({ paymentId: await stack.provider.charge(50_000), amount: '120.00' });
    ({ runId } = approval);
    await stack.as('agent').call('POST', `/v1/approvals/${approval.id}/decisions`, {
      decision: 'approve',
      proposalHash: approval.proposalHash,
    });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(runId, 'completed');
    const globex = await stack.provider.charge(50_000);
    const small = await stack.as('service', 'globex').startRefund({ paymentId: globex, amount: '10.00' });
    await stack.as('service', 'globex').untilPhase(small.body.runId, 'completed');
  });
  afterAll(() => stack.stop());

  /** What nobody but the owner of the table could do, and only with the trigger out of the way. */
  async function tamper(statement: string): Promise<void> {
    const { ownerUrl } = stack.database;
    await query(ownerUrl, 'alter table audit disable trigger audit_append_only');
    await query(ownerUrl, statement, [runId]);
    await query(ownerUrl, 'alter table audit enable trigger audit_append_only');
  }
  const verify = async (...args: string[]) => reportOf(await admin('audit', 'verify', '--json', ...args));
  const reportOf = ({ json }: CliRun) => json as unknown as AuditReport;
  const rowsOf = ({ json }: CliRun) => json.items as unknown as readonly AuditRow[];

  test('R37: an untouched log verifies, with and without anchors, and only for those who may', async () => {
    const untouched = await admin('audit', 'verify', '--json');
    expect([untouched.code, untouched.json.ok, untouched.json.findings]).toEqual([0, true, []]);
    expect((await admin('audit', 'anchor', '--json')).json.seq).toBeGreaterThanOrEqual(1);
    expect((await admin('audit', 'anchor')).stdout).toContain('Nothing has grown');
    const anchored = await verify();
    expect([anchored.ok, anchored.anchors > 0, anchored.rows > 5]).toEqual([true, true, true]);
    for (const person of ['service', 'reviewer1', 'lead'] as const) {
      const refused = await actor(stack, person)('audit', 'verify', '--json');
      expect([refused.code, refused.problem.code]).toEqual([1, 'forbidden']);
    }
  });

  test('R37: the log tells who, what, why and by which policy, and is searched', async () => {
    const refused = await admin('audit', 'search', '--run', runId, '--event', 'decision_refused', '--json');
    expect(refused.json.items).toEqual([
      expect.objectContaining({
        actor: 'agent',
        reason: 'forbidden',
        runId,
        policyVersion: expect.any(String),
      }),
    ]);
    const table = await admin('audit', 'search', '--run', runId, '--limit', '3');
    expect(table.stdout).toMatch(/^WHEN +WHO +WHAT +RUN/);
    expect(table.stdout).toContain('There is more: --cursor');
    const pages = await admin('audit', 'search', '--run', runId, '--limit', '2', '--all', '--json');
    const seqs = rowsOf(pages).map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
    expect(new Set(seqs).size).toBe(seqs.length);
    expect((await admin('audit', 'search', '--from', '2999-01-01T00:00:00Z')).stdout).toBe('No rows fit.\n');
    const wrong = await admin('audit', 'search', '--from', 'yesterday', '--json');
    expect([wrong.code, wrong.problem.code]).toEqual([1, 'invalid_request']);
  });

  test('R38: another tenant sees none of it', async () => {
    const globex = await actor(stack, 'admin', 'globex')('audit', 'search', '--run', runId, '--json');
    expect(globex.json.items).toEqual([]);
    const all = await actor(stack, 'admin', 'globex')('audit', 'search', '--all', '--json');
    expect(new Set(rowsOf(all).map(({ tenant }) => tenant))).toEqual(new Set(['globex']));
  });

  test('R37: an export is kept, verified without the API, and as CSV harmless to a spreadsheet', async () => {
    const kept = join(folder, 'kept.jsonl');
    expect((await admin('audit', 'export', '--out', kept)).code).toBe(0);
    expect((await admin('audit', 'export', '--out', kept)).code).toBe(2);
    const offline = await verify('--file', kept);
    expect(offline).toMatchObject({ ok: true, rows: (await verify()).rows });
    const lines = readFileSync(kept, 'utf8').split('\n');
    const cut = join(folder, 'cut.jsonl');
    writeFileSync(cut, lines.filter((line) => !line.includes('"event":"decision_approve"')).join('\n'));
    expect((await verify('--file', cut)).findings).toEqual([
      expect.objectContaining({ kind: 'gap', where: runId }),
    ]);
    writeFileSync(cut, 'no export\n');
    expect((await admin('audit', 'verify', '--file', cut)).stderr).toContain('line 1');

    const csv = (await admin('audit', 'export', '--format', 'csv')).stdout;
    expect(csv.split('\r\n')[0]).toBe(
      'tenant,runId,seq,at,actor,event,step,before,after,reason,policyVersion,effectKey,providerId,prevHash,hash',
    );
    expect(csv).toContain(runId);
  });

  test('R37: a row that was changed, and a tail that was cut off, are found', async () => {
    await admin('audit', 'anchor');
    await tamper(`update audit set actor = 'nobody' where run_id = $1 and event = 'decision_approve'`);
    const changed = await admin('audit', 'verify');
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(new RegExp(`${runId} +\\d+ +changed`));
    await tamper(`update audit set actor = 'reviewer1' where run_id = $1 and event = 'decision_approve'`);
    expect((await verify()).ok).toBe(true);
    await tamper(
      `delete from audit where run_id = $1 and seq = (select max(seq) from audit a where a.run_id = $1)`,
    );
    expect((await verify()).findings).toEqual([expect.objectContaining({ kind: 'tail_cut', where: runId })]);
  });

  test('R37: anchors are set by themselves, for every tenant', async () => {
    await stack.api.kill();
    await stack.startApi({ COUNTERSIGN_AUDIT_ANCHOR_MINUTES: '0.005' });
    const globex = actor(stack, 'admin', 'globex');
    await until(async () => reportOf(await globex('audit', 'verify', '--json')).anchors > 0);
  });
});

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalView } from '../../src/application/views';
import type { PastStateView } from '../../src/application/pastStates';
import type { AuditReport } from '../../src/main/audit/verifyAudit';
import { packArchive, unpackArchive, type RunArchive } from '../../src/main/run/archive';
import type { ReplayReport } from '../../src/main/run/replayRuns';
import { approvalIdOf } from '../support/api';
import { query } from '../support/database';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { balanceOf, eventsOf, paidOut, refundCalls } from '../workflows/evidence';
import { otherRuns } from './otherRuns';
import { runCli, type CliRun } from './runCli';

const keys = { COUNTERSIGN_ENCRYPTION_KEYS: randomBytes(32).toString('base64') };

describe('countersign run', () => {
  let stack: TestStack;
  /** 800.00 by the service for reviewer2, voted on by reviewer1; waits. */
  let origin: ApprovalView;
  let charge: string;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-run-'));
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    stack = await TestStack.start({ env: keys });
    ({ charge, approval: origin } = await stack.opened('800.00', 200_000, { onBehalfOf: 'reviewer2' }));
    await stack.as('reviewer1').decide(origin, 'approve');
  });
  afterAll(() => stack.stop());

  type Tenant = 'acme' | 'globex';
  /** Where an operator sits: he reaches Temporal, and acts as one person. */
  const run = (person: 'service' | 'agent' | 'admin', args: string[], env = {}, tenant: Tenant = 'acme') =>
    runCli(['run', ...args], {
      COUNTERSIGN_API_URL: stack.apiUrl,
      COUNTERSIGN_TOKEN: testTokens[tenant][person],
      TEMPORAL_ADDRESS: stack.env['TEMPORAL_ADDRESS'] ?? '',
      TEMPORAL_NAMESPACE: stack.temporal.namespace,
      ...env,
    });
  const reportOf = ({ json }: CliRun) => json as unknown as ReplayReport;
  const outcomesOf = (replayed: CliRun) => [
    replayed.code,
    ...reportOf(replayed).executions.map(({ outcome }) => outcome),
  ];
  const exported = (name: string, ...more: string[]) =>
    run('admin', ['export', origin.runId, '--out', file(name), '--json', ...more]);

  test('R27: a fork is decided anew and pays once, under its own key; the run that it is from pays nothing by it', async () => {
    const changes = ['--amount', '700.00', '--idempotency-key', 'fork-1', '--json'];
    const forked = await run('agent', ['fork', origin.runId, ...changes]);
    expect([forked.code, forked.json.phase]).toEqual([0, 'validating']);
    const { runId } = forked.json;
    expect(runId).not.toBe(origin.runId);
    await stack.as('agent').untilPhase(runId, 'waiting_approval');
    const approval = await stack.as('service').approval(approvalIdOf(runId));
    expect(approval).toMatchObject({ votes: [], needed: 2, status: 'open', requester: 'agent' });
    expect(approval.facts['forkedFrom']).toMatchObject({ runId: origin.runId });
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 150_000, refunded: 0 });

    // What was approved there is another proposal, and who had asked there asks here too.
    const { proposalHash } = origin;
    const stale = await stack.as('reviewer1').decide({ id: approval.id, proposalHash }, 'approve');
    expect([stale.status, stale.body.code]).toEqual([409, 'decision_stale']);
    const asker = await stack.as('reviewer2').decide(approval, 'approve');
    expect([asker.status, asker.body.code]).toEqual([403, 'separation_of_duties']);

    const again = await run('agent', ['fork', origin.runId, ...changes]);
    expect([again.code, again.json.runId]).toEqual([0, runId]);
    const other = ['--amount', '650.00', '--idempotency-key', 'fork-1', '--json'];
    const conflict = await run('agent', ['fork', origin.runId, ...other]);
    expect([conflict.code, conflict.problem.code]).toEqual([1, 'idempotency_conflict']);
    const tooMuch = await run('agent', ['fork', origin.runId, '--amount', '500.01', '--json']);
    expect([tooMuch.code, tooMuch.problem.code]).toEqual([1, 'exceeds_remaining']);

    await stack.as('reviewer1').decide(approval, 'approve');
    expect(await refundCalls(stack, charge)).toEqual([]);
    await stack.as('lead').decide(approval, 'approve');
    await stack.as('service').untilPhase(runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[70_000, 'succeeded']]);
    const sent = new Set((await refundCalls(stack, charge)).map((call) => call.idempotencyKey));
    expect([...sent]).toEqual([`${runId}:issue_refund`]);
    expect((await stack.as('service').refund(origin.runId)).phase).toBe('waiting_approval');
    expect((await stack.as('service').refund(runId)).forkedFrom).toMatchObject({ runId: origin.runId });
    const named = await query<{ run_id: string; after: { runId: string } }>(
      stack.database.adminUrl,
      `select run_id, after from audit where event in ('forked', 'forked_from') order by event`,
    );
    expect(named.map(({ run_id, after }) => [run_id, after.runId])).toEqual([
      [origin.runId, runId],
      [runId, origin.runId],
    ]);
  });

  test('R37: the state after the last event is what the row of the run says, for every run', async () => {
    const rows = await query<{ run_id: string; phase: string; money: string; amount: string }>(
      stack.database.adminUrl,
      'select run_id, phase, money, amount from runs',
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    for (const { run_id: runId, ...row } of rows) {
      const { body } = await stack.as('service').call('GET', `/v1/refunds/${runId}/states`);
      const { state } = (body.items as PastStateView[]).at(-1) ?? { state: undefined };
      const amount = state?.amount ? String(Number(state.amount.value) * 100) : null;
      expect({ phase: state?.phase, money: state?.money, amount }).toEqual({
        ...row,
        amount: String(row.amount),
      });
    }
  });

  test('R37: a past is shown at any point of it, and two points are compared, also beside the history of Temporal', async () => {
    const states = await run('service', ['timeline', origin.runId, '--json']);
    const items = states.json.items as unknown as PastStateView[];
    expect(items.map(({ event }) => event)).toEqual(await eventsOf(stack, origin.runId));
    const opened = items.find(({ event }) => event === 'approval_opened')?.seq ?? 0;
    const vote = items.find(({ event }) => event === 'decision_approve')?.seq ?? 0;
    const diff = await run('service', ['timeline', origin.runId, '--diff', `${opened}`, `${vote}`, '--json']);
    expect(diff.json['changes']).toEqual([{ what: 'approval.votes', before: [], after: ['reviewer1'] }]);
    const shown = await run('service', ['timeline', origin.runId, '--at', `${vote}`]);
    expect(shown.stdout).toMatch(/votes +1 of 2 \(reviewer1\)/);
    const never = await run('service', ['timeline', origin.runId, '--at', '999', '--json']);
    expect([never.code, never.problem.code]).toEqual([1, 'invalid_request']);
    const beside = await run('service', ['timeline', origin.runId, '--events']);
    expect(beside.stdout).toMatch(
      /workflow execution started[^]*approval_opened|approval_opened[^]*timer started/,
    );
    expect(beside.stdout).toContain('workflow execution update accepted decide');
    const nowhere = await run('service', ['timeline', origin.runId, '--events'], { TEMPORAL_ADDRESS: '' });
    expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringContaining('set TEMPORAL_ADDRESS')]);
  });

  test('R38: the past of a run of another tenant is that of a run that does not exist', async () => {
    const globex = stack.as('service', 'globex');
    const body = { amount: { value: '1.00', currency: 'USD' } };
    for (const [method, below] of [
      ['GET', '/states'],
      ['GET', '/states?at=rubbish'],
      ['GET', '/states/difference?from=1&to=2'],
      ['POST', '/fork'],
    ] as const) {
      const ask = async (runId: string) => {
        const sent = method === 'POST' ? body : undefined;
        const { status, body: problem } = await globex.call(method, `/v1/refunds/${runId}${below}`, sent);
        return { status, problem: { ...problem, requestId: '' } };
      };
      expect(await ask(origin.runId)).toEqual(await ask('run_unknown'));
      expect((await ask(origin.runId)).status).toBe(404);
    }
    const foreign = ['export', origin.runId, '--out', file('foreign.zip'), '--json'];
    const refused = await run('admin', foreign, {}, 'globex');
    expect([refused.code, refused.problem.code]).toEqual([1, 'not_found']);
    const forbidden = await run('service', foreign);
    expect([forbidden.code, forbidden.problem.code]).toEqual([1, 'forbidden']);
  });

  test('R33: a run, and all that are open, are replayed against this build', async () => {
    const one = await run('admin', ['replay', origin.runId, '--tenant', 'acme', '--json'], keys);
    expect([outcomesOf(one), one.stderr]).toEqual([[0, 'ok'], '']);
    const all = await run('admin', ['replay', '--all-open', '--json'], keys);
    expect([all.code, reportOf(all)]).toEqual([
      0,
      { ok: true, replayed: 1, differ: 0, failed: 0, executions: [] },
    ]);
    const none = await run('admin', ['replay', '--all-open', '--tenant', 'globex', '--json'], keys);
    expect(reportOf(none).replayed).toBe(0);
    const foreign = await run('admin', ['replay', `refund/globex/${origin.runId}`, '--json'], keys);
    expect([foreign.code, foreign.problem.code]).toEqual([1, 'not_found']);
    const keyless = await run('admin', ['replay', origin.runId, '--json']);
    expect(outcomesOf(keyless)).toEqual([1, 'failed']);
    expect(reportOf(keyless).executions[0]?.detail).toContain('COUNTERSIGN_ENCRYPTION_KEYS');
  });

  test('R33: an archive is the same whenever it is written, proves its audit rows, and is replayed offline', async () => {
    const first = await exported('first.zip');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.json['executions']).toBe(1);
    expect((await exported('second.zip')).code).toBe(0);
    expect(readFileSync(file('second.zip')).equals(readFileSync(file('first.zip')))).toBe(true);
    expect((await exported('first.zip')).code).toBe(2);

    const verified = await runCli(['audit', 'verify', '--file', file('first.zip'), '--json']);
    expect(verified.json as unknown as AuditReport).toMatchObject({ ok: true, runs: 1 });
    const offline = await runCli(['run', 'replay', '--file', file('first.zip'), '--json'], keys);
    expect(outcomesOf(offline)).toEqual([0, 'ok']);

    // Control: what was changed is found out, by whichever check it is of.
    const archive = unpackArchive(readFileSync(file('first.zip')));
    const forged = changed(archive, 'audit.jsonl', (text) => text.replace('"reviewer1"', '"reviewer2"'));
    writeFileSync(file('forged.zip'), forged);
    const found = await runCli(['audit', 'verify', '--file', file('forged.zip'), '--json']);
    expect([found.code, (found.json as unknown as AuditReport).ok]).toEqual([1, false]);
    const differing = changed(archive, 'histories/001.json', (text) =>
      text
        .replace('EVENT_TYPE_TIMER_STARTED', 'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED')
        .replace('timerStartedEventAttributes', 'activityTaskScheduledEventAttributes'),
    );
    writeFileSync(file('differing.zip'), differing);
    const differs = await runCli(['run', 'replay', '--file', file('differing.zip'), '--json'], keys);
    expect(outcomesOf(differs)).toEqual([1, 'differs']);
    expect(reportOf(differs).executions[0]?.detail).toMatch(/nondeterminism|ActivityTaskScheduled/i);
    const torn = readFileSync(file('first.zip')).subarray(0, -40);
    writeFileSync(file('torn.zip'), torn);
    expect((await runCli(['run', 'replay', '--file', file('torn.zip')])).code).toBe(2);
  });

  test('R40: payloads stay ciphertext in it, unless an administrator has them opened; nothing of another tenant is in it', async () => {
    const closed = textsOf(unpackArchive(readFileSync(file('first.zip'))));
    expect(closed.history).toContain(Buffer.from('binary/encrypted').toString('base64'));
    expect(decodedWords(closed.history)).not.toContain(charge);
    const opened = await exported('decoded.zip', '--decode');
    expect([opened.code, opened.json['sealed']]).toEqual([0, 0]);
    const archive = unpackArchive(readFileSync(file('decoded.zip')));
    expect(decodedWords(textsOf(archive).history)).toContain(charge);
    const keyless = await runCli(['run', 'replay', '--file', file('decoded.zip'), '--json']);
    expect(outcomesOf(keyless)).toEqual([0, 'ok']);
    const telling = /globex|sk_test|cs_acme|Bearer/;
    expect([...archive.texts.values()].filter((text) => telling.test(text))).toEqual([]);
    expect(decodedWords(textsOf(archive).history)).not.toMatch(telling);
  });

  otherRuns({ stack: () => stack, run, file, keys });
});

/** The same archive with one text changed, its own list of contents made to fit. */
function changed(
  { manifest, texts }: RunArchive,
  name: string,
  change: (text: string) => string,
): Uint8Array {
  const { format: _format, version: _version, files: _files, ...about } = manifest;
  const text = texts.get(name) ?? '';
  if (change(text) === text) throw new Error('the control changes nothing');
  return packArchive(about, new Map(texts).set(name, change(text)));
}

function textsOf({ texts }: RunArchive) {
  return { history: texts.get('histories/001.json') ?? '' };
}

function decodedWords(history: string): string {
  return [...history.matchAll(/"data": "([^"]*)"/g)]
    .map(([, data = '']) => Buffer.from(data, 'base64').toString('latin1'))
    .join('\n');
}

import type { ApprovalView } from '../../src/application/views';
import type { InboxCheck } from '../../src/client';
import { actor } from '../cli/actors';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { check, nothing, repairsOf, rowOf, sql, told, untilIndexed } from './checkingInbox';
import { balanceOf, brokenAuditRows, openWork, paidOut, refundCalls } from './evidence';
import { resetTo, restingPlaceOf } from './resetting';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const opened = (amount = '120.00', tenant: 'acme' | 'globex' = 'acme') =>
  stack.opened(amount, 1_000_000, {}, tenant);

describe('approvals in different states', () => {
  type Case = Awaited<ReturnType<typeof opened>>;
  let fresh: Case, voted: Case, edited: Case, claimed: Case, asked: Case, escalated: Case, foreign: Case;
  let open: ApprovalView[];

  beforeAll(async () => {
    [fresh, voted, edited, claimed, asked, escalated, foreign] = await Promise.all([
      opened(),
      opened('800.00'),
      opened('800.00'),
      opened(),
      opened(),
      opened(),
      opened('120.00', 'globex'),
    ]);
    const reviewer = stack.as('reviewer1');
    const lowered = { arguments: { amount: { value: '700.00', currency: 'USD' } } };
    for (const [{ approval }, decision, more] of [
      [voted, 'approve', {}],
      [edited, 'edit', lowered],
      [claimed, 'claim', {}],
      [asked, 'request_info', { comment: 'Which parcel?' }],
      [escalated, 'escalate', {}],
    ] as const) {
      expect((await reviewer.decide(approval, decision, more)).status).toBe(200);
    }
    open = [fresh, voted, edited, claimed, asked, escalated].map(({ approval }) => approval);
    await Promise.all(open.map((approval) => untilIndexed(stack, approval)));
  });

  test('the inbox is exactly what the workflows have, and asking leaves nothing in a history', async () => {
    const lengths = () =>
      Promise.all(open.map(async ({ runId }) => (await openWork(stack, runId)).historyLength));
    const before = await lengths();
    const { code, report } = await check(stack);
    expect([code, report]).toEqual([0, { checked: open.length, differences: [], ok: true }]);
    expect(await lengths()).toEqual(before);
    const printed = await actor(stack, 'admin')('approvals', 'check');
    expect([printed.code, printed.stdout]).toEqual([0, expect.stringContaining('Nothing differs.')]);
  });

  test('it is checked page by page', async () => {
    const admin = stack.as('admin');
    const counts: number[] = [];
    for (let cursor: unknown = undefined; cursor !== null;) {
      const page = await admin.call('POST', '/v1/approvals/check', { limit: 2, cursor });
      expect([page.status, page.body.differences]).toEqual([200, []]);
      counts.push(page.body.checked);
      cursor = page.body.nextCursor;
    }
    expect(counts.slice(0, 3)).toEqual([2, 2, 2]);
    expect(counts.slice(3).every((count) => count === 0)).toBe(true);
    const wrong = await admin.call('POST', '/v1/approvals/check', { cursor: 'bm9uZQ' });
    expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid_request']);
  });

  test('only administrators check', async () => {
    for (const person of ['service', 'reviewer1', 'lead'] as const) {
      const refused = await actor(stack, person)('approvals', 'check', '--repair', '--json');
      expect([refused.code, refused.problem.code]).toEqual([1, 'forbidden']);
    }
  });

  test('R34: drift is found with what differs, repaired from the workflow, and on the audit log; what another tenant has stays', async () => {
    const before = await Promise.all(open.map((approval) => rowOf(stack, approval)));
    const drift: [ApprovalView, string, string][] = [
      [fresh.approval, `status = 'approved'`, 'status'],
      [voted.approval, `state = jsonb_set(state, '{votes}', '[]')`, 'votes'],
      [edited.approval, `state = jsonb_set(state, '{revision}', '7')`, 'revision'],
      [claimed.approval, `state = state - 'claim'`, 'claim'],
      [asked.approval, `deadline = deadline + interval '1 day'`, 'deadline'],
      [escalated.approval, `state = jsonb_set(state, '{escalatedTo}', '[]')`, 'escalatedTo'],
    ];
    for (const [{ id }, change] of drift)
      await sql(stack, `update approvals set ${change} where id = $1`, id);
    await sql(
      stack,
      `update approvals set state = jsonb_set(state, '{deadline}', '1') where id = $1`,
      foreign.approval.id,
    );
    const drifted = await Promise.all([...open, foreign.approval].map((approval) => rowOf(stack, approval)));

    const found = drift.map(([approval, , field]) => told('differs', approval, [field]));
    const seen = await check(stack);
    expect([seen.code, seen.report.ok]).toEqual([1, false]);
    expect(seen.report.differences).toHaveLength(found.length);
    expect(seen.report.differences).toEqual(expect.arrayContaining(found));
    expect(await Promise.all([...open, foreign.approval].map((approval) => rowOf(stack, approval)))).toEqual(
      drifted,
    );

    const repaired = await check(stack, '--repair');
    expect([repaired.code, repaired.report.ok]).toEqual([0, true]);
    expect(repaired.report.differences).toEqual(
      expect.arrayContaining(found.map((difference) => ({ ...difference, repaired: true }))),
    );
    expect(await Promise.all(open.map((approval) => rowOf(stack, approval)))).toEqual(before);
    expect(await rowOf(stack, foreign.approval)).toEqual(drifted.at(-1));
    expect(await check(stack)).toEqual(nothing);
    for (const approval of open) {
      expect(await repairsOf(stack, approval)).toEqual([expect.objectContaining({ actor: 'admin' })]);
      expect(await brokenAuditRows(stack, approval.runId)).toEqual([]);
    }
    const [line] = await query<{ before: unknown; after: unknown }>(
      stack.database.adminUrl,
      `select before, after from audit where run_id = $1 and event = 'inbox_repaired'`,
      [voted.approval.runId],
    );
    expect(line).toMatchObject({ before: { votes: [] }, after: { votes: [{ actor: 'reviewer1' }] } });
    const theirs = await actor(stack, 'admin', 'globex')('approvals', 'check', '--json');
    expect((theirs.json as unknown as InboxCheck).differences).toEqual([
      told('differs', foreign.approval, ['deadline']),
    ]);
  });

  test('a vote that is back in the inbox counts, and a deleted row is there again and can be decided', async () => {
    await stack.as('reviewer2').decide(voted.approval, 'approve');
    await stack.as('service').untilPhase(voted.approval.runId, 'completed');
    expect(await paidOut(stack, voted.charge)).toEqual([[80_000, 'succeeded']]);

    const before = await rowOf(stack, fresh.approval);
    await sql(stack, 'delete from approval_revisions where approval_id = $1', fresh.approval.id);
    await sql(stack, 'delete from approvals where id = $1', fresh.approval.id);
    expect(await check(stack)).toMatchObject({
      code: 1,
      report: { differences: [told('missing_row', fresh.approval)] },
    });
    expect((await check(stack, '--repair')).code).toBe(0);
    expect(await rowOf(stack, fresh.approval)).toEqual(before);
    expect(await repairsOf(stack, fresh.approval)).toHaveLength(2);
    expect((await stack.as('reviewer1').decide(fresh.approval, 'approve')).status).toBe(200);
    await stack.as('service').untilPhase(fresh.approval.runId, 'completed');
  });
});

describe('runs that are not there any more', () => {
  test('one that was terminated: its row is closed, its money stays as it is', async () => {
    const { charge, approval } = await opened();
    await stack.temporal.handle('acme', approval.runId).terminate('by an operator');
    expect((await check(stack)).report.differences).toContainEqual(told('row_without_run', approval));
    expect((await check(stack, '--repair')).code).toBe(0);
    const after = await stack.as('reviewer1').approval(approval.id);
    expect(after).toMatchObject({ status: 'cancelled', decidedBy: { actor: 'countersign' } });
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 12_000 });
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await repairsOf(stack, approval)).toMatchObject([
      { reason: expect.stringContaining('terminated') },
    ]);
  });

  test('one that has ended: its row is closed by its own outcome', async () => {
    const { approval } = await opened();
    await stack.as('reviewer1').decide(approval, 'reject', { reasonCode: 'wrong_amount' });
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    await until(async () => (await check(stack)).code === 0);
    const before = await rowOf(stack, approval);
    await sql(
      stack,
      `update approvals set status = 'open', state = (state - 'decidedBy') || '{"status": "open"}' where id = $1`,
      approval.id,
    );
    expect((await check(stack)).report.differences).toEqual([told('row_without_run', approval)]);
    expect((await check(stack, '--repair')).code).toBe(0);
    expect(await rowOf(stack, approval)).toEqual(before);
  });

  test('R27: a row from before a reset is told, and not made the new execution’s', async () => {
    const { approval } = await opened();
    for (const decision of ['claim', 'release'])
      expect((await stack.as('reviewer1').decide(approval, decision)).status).toBe(200);
    // Back to after the claim; what came later is not applied again, so nothing has asked anew yet.
    await resetTo(stack, approval.runId, await restingPlaceOf(stack, approval.runId), [1, 2]);
    await restingPlaceOf(stack, approval.runId);
    const claimed = await check(stack, '--repair');
    expect([claimed.code, claimed.report.differences]).toEqual([1, [told('differs', approval, ['claim'])]]);
    expect(claimed.report.differences[0]?.explanation).toContain('the run was reset');
    await stack.as('reviewer2').decide(approval, 'comment', { comment: 'Is it still wanted?' });
    expect((await stack.as('reviewer2').approval(approval.id)).revision).toBe(2);
    expect(await check(stack)).toEqual(nothing);
  });
});

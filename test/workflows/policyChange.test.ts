import type { ApprovalView } from '../../src/application/views';
import { embeddedPolicy } from '../../src/sandbox/embeddedTenants';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { eventsOf, paidOut, refundCalls } from './evidence';

const { cedar, document, version: seeded } = embeddedPolicy;
const cases = { people: {}, cases: [{ case: 'little is automatic', amount: '1.00 USD', then: 'automatic' }] };

describe('rules that change while refunds wait', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount: string, captured?: number) => stack.opened(amount, captured);
  let published: string = seeded;
  let made = 0;
  /** @returns the name of the version, which is in force now */
  async function publish(rules: string, table: object = document): Promise<string> {
    made += 1;
    const version = `version-${made}`;
    const body = { cedar: `${cedar}\n${rules}`, table, cases, expectedVersion: published, version };
    const answer = await stack.as('admin').call('POST', '/v1/policies', body);
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    published = version;
    return version;
  }
  afterEach(async () => {
    if (published !== seeded) await publish('');
  });
  const again = async (approval: ApprovalView): Promise<ApprovalView> => {
    await until(
      async () => (await stack.as('service').approval(approval.id)).revision === approval.revision + 1,
    );
    return stack.as('service').approval(approval.id);
  };
  const notReviewer1 = `@id("on-leave") @says("on leave")
    forbid (principal, action == Action::"approve", resource) when { principal.id == "reviewer1" };`;

  test('R20: a vote that the newest rules do not permit opens a new revision that says so; nothing is paid on it', async () => {
    const before = published;
    const { charge, approval } = await opened('800.00');
    expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
    const version = await publish(notReviewer1);
    // It goes on under the version that it was opened under, until money would move.
    expect((await stack.as('reviewer2').decide(approval, 'approve')).status).toBe(200);
    const reopened = await again(approval);
    expect(reopened).toMatchObject({
      status: 'open',
      votes: [],
      decidedBy: null,
      policy: { version },
      revisionReason: `policy ${version} does not let reviewer1 approve this any more`,
    });
    expect(await refundCalls(stack, charge)).toEqual([]);

    // The new revision is decided by the new rules.
    const refused = await stack.as('reviewer1').decide(reopened, 'approve');
    expect([refused.status, refused.body.detail]).toEqual([403, 'on leave']);
    await stack.as('reviewer2').decide(reopened, 'approve');
    await stack.as('lead').decide(reopened, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
    const voted = await query<{ policy_version: string }>(
      stack.database.adminUrl,
      `select policy_version from audit where run_id = $1 and event = 'decision_approve' order by seq`,
      [approval.runId],
    );
    expect(voted.map((row) => row.policy_version)).toEqual([before, before, version, version]);
  });

  test('R20: an approval keeps the rules that it was opened under: stricter ones do not refuse a decision at the door', async () => {
    const { charge, approval } = await opened('120.00');
    const version = await publish(notReviewer1);
    expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
    const reopened = await again(approval);
    expect(reopened.policy.version).toBe(version);
    expect(await refundCalls(stack, charge)).toEqual([]);
    // One that is opened now has them from the start.
    const { approval: later } = await opened('120.00');
    expect((await stack.as('reviewer1').decide(later, 'approve')).status).toBe(403);
    await stack.as('reviewer2').decide(reopened, 'reject');
    await stack.as('reviewer2').decide(later, 'reject');
  });

  test('R20: rules that change, and still permit every vote, change nothing for what waits', async () => {
    const before = published;
    const { charge, approval } = await opened('120.00');
    await publish(
      `@id("euro-only") forbid (principal, action == Action::"approve", resource) when { resource.currency != "USD" && resource.amount > 1 };`,
    );
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      revision: 1,
      policy: { version: before },
    });
  });

  test('R20: other approvers in the newest table are stricter too', async () => {
    const { charge, approval } = await opened('120.00');
    const version = await publish('', { ...document, approverGroup: 'finance-lead' });
    await stack.as('reviewer1').decide(approval, 'approve');
    const reopened = await again(approval);
    expect(reopened).toMatchObject({ policy: { version, approverGroup: 'finance-lead' } });
    const refused = await stack.as('reviewer2').decide(reopened, 'approve');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    await stack.as('lead').decide(reopened, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R20: a refund that nobody was asked about is asked about after all, where the rules have changed before money moves', async () => {
    const version = `sudden-${(made += 1)}`;
    // In the moment in which the table lets it pass, another version is in force.
    await query(
      stack.database.adminUrl,
      `create function publish_suddenly() returns trigger language plpgsql as $$ begin
         insert into policies (tenant, version, document, cedar) select tenant, '${version}', document,
           cedar || '@id("quiet-day") @says("nothing is automatic today")
             forbid (principal, action == Action::"pay_automatically", resource);'
         from policies where tenant = 'acme' and version = '${published}';
         return new; end $$;
       create trigger suddenly after update of automatic on runs for each row when (new.automatic and not old.automatic)
         execute function publish_suddenly()`,
    );
    const charge = await stack.provider.charge(10_000);
    const { body } = await stack.as('service').startRefund({ paymentId: charge, amount: '10.00' });
    await stack.as('service').untilPhase(body.runId, 'waiting_approval');
    await query(stack.database.adminUrl, 'drop function publish_suddenly cascade');
    published = version;
    const approval = await stack.as('reviewer1').approval((body.runId as string).replace('run_', 'apr_'));
    expect(approval).toMatchObject({
      ...{ status: 'open', needed: 1, votes: [], facts: { risk: { payment: { refunds: 0 } } } },
      policy: { version, explanation: 'One approver must agree: nothing is automatic today.' },
    });
    expect(await refundCalls(stack, charge)).toEqual([]);
    const check = await stack.as('admin').call('POST', '/v1/approvals/check', {});
    expect(check.body.differences).toEqual([]);
    expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
    await stack.as('service').untilPhase(body.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[1_000, 'succeeded']]);
  });

  test('R42: rules that fail at execution let no money out, although every vote was permitted when it was given', async () => {
    made += 1;
    const { charge, approval } = await opened('120.00');
    await query(
      stack.database.ownerUrl,
      `insert into policies (tenant, version, document, cedar) select tenant, 'broken ' || $2, document,
         cedar || '@id("broken") forbid (principal, action == Action::"approve", resource) when { resource.amunt > 1 };'
       from policies where tenant = 'acme' and version = $1`,
      [published, String(made)],
    );
    try {
      await stack.as('reviewer1').decide(approval, 'approve');
      await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
      expect(await refundCalls(stack, charge)).toEqual([]);
    } finally {
      await query(
        stack.database.ownerUrl,
        `insert into policies (tenant, version, document, cedar) select tenant, 'mended ' || $2, document, cedar
         from policies where tenant = 'acme' and version = $1`,
        [published, String(made)],
      );
      published = `mended ${made}`;
    }
  });

  test('R23: a limit that was lowered between vote and execution voids the vote', async () => {
    const limit = (value: string) =>
      query(
        stack.database.ownerUrl,
        `update principals set limit_major = $1 where tenant = 'acme' and id = 'reviewer1'`,
        [value],
      );
    const { charge, approval } = await opened('800.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    await limit('799.99');
    try {
      await stack.as('reviewer2').decide(approval, 'approve');
      await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
      await stack.as('service').untilPhase(approval.runId, 'waiting_approval');
      expect(await stack.as('service').approval(approval.id)).toMatchObject({
        status: 'open',
        revision: 1,
        votes: [{ actor: 'reviewer2' }],
      });
      const over = await stack.as('reviewer1').decide(approval, 'approve');
      expect([over.status, over.body.code]).toEqual([403, 'over_limit']);
      expect(await refundCalls(stack, charge)).toEqual([]);
    } finally {
      await limit('5000.00');
    }
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });
});

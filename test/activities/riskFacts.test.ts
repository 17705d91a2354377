import { approvalView } from '../../src/application/views';
import type { RefundToOpen } from '../../activities/openRefund';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());

const velocity = `@id("velocity") @says("this customer asked for two already")
  forbid (principal, action == Action::"pay_automatically", resource)
  unless { resource has risk && resource.risk has customer && resource.risk.customer.lastDay < 2 };`;
const calm = `@id("calm") @says("this customer asks too often") forbid (principal, action == Action::"approve", resource)
  unless { resource has risk && resource.risk has customer && resource.risk.customer.lastDay < 2 };`;

let published = 0;
/** @returns takes it out of force again */
async function withRules(rules: string): Promise<() => Promise<unknown>> {
  published += 1;
  const publish = (version: string, more: string) =>
    query(
      stand.database.adminUrl,
      `insert into policies (tenant, version, document, cedar, cases)
       select tenant, $1, document, cedar || $2, cases from policies where tenant = 'acme' order by number limit 1`,
      [version, more],
    );
  await publish(`risk-${published}`, rules);
  return () => publish(`calm-${published}`, '');
}

const evaluate = ({ tenant, runId, arguments: { amount } }: RefundToOpen) =>
  stand.run('evaluatePolicy', { tenant, runId, amount });
const toAuthorize = ({ tenant, runId, paymentId, arguments: args }: RefundToOpen) => ({
  ...{ tenant, runId, paymentId, arguments: args, epoch: stand.epoch, now: 1_800_000_000_000 },
});

describe("a refund's past", () => {
  test('makes a refund need people that the table would pay by itself; a customer that nobody knows does so too', async () => {
    const back = await withRules(velocity);
    const of = { customer: 'cus_automatic' };
    const [first, second] = [await stand.opened(100, of), await stand.opened(100, of)];
    expect(await evaluate(second)).toMatchObject({ decision: 'automatic', needed: 0 });
    const third = await stand.opened(100, of);
    expect(await evaluate(third)).toMatchObject({
      decision: 'approval',
      needed: 1,
      ruleIds: ['tier-USD-1', 'aggregate', 'velocity'],
      explanation: 'One approver must agree: this customer asked for two already.',
    });
    expect(await evaluate(await stand.opened(100))).toMatchObject({ decision: 'approval' });
    await back();
    expect(await evaluate(first)).toMatchObject({ decision: 'automatic' });
    const [row] = (await stand.in((unit) => unit.audit.ofRun(third.runId))).filter(
      ({ event }) => event === 'policy_evaluated',
    );
    expect(row?.after).toMatchObject({ risk: { customer: { refunds: 2, refunded: 200 } } });
  });

  test('is kept with each revision, as it was then, and shown with the request in major units', async () => {
    const of = { customer: 'cus_revisions' };
    const input = await stand.opened(12_000, of);
    const policy = await evaluate(input);
    const publish = { input, paymentId: input.paymentId, arguments: input.arguments, policy };
    const approval = await stand.twice('publishApproval', {
      ...publish,
      epoch: stand.epoch,
      now: Date.now(),
    });
    await stand.opened(345, of);
    const args = { amount: { value: '110.00', currency: 'USD' } };
    const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'edit', { arguments: args }));
    await stand.run('applyDecision', stand.toApply(approval, message));
    const revisions = await stand.in((unit) => unit.approvals.revisions(approval.id));
    expect(revisions.map(({ risk }) => risk?.customer?.refunds)).toEqual([0, 1]);
    const stored = await stand.in((unit) => unit.approvals.find(approval.id));
    expect(stored && approvalView(stored, [], 0).facts.risk).toMatchObject({
      payment: { refunds: 0, refunded: { value: '0.00', currency: 'USD' }, disputed: { value: '0.00' } },
      customer: { refunds: 1, refunded: { value: '3.45', currency: 'USD' }, lastHour: 1 },
      toOtherMethod: false,
    });
  });

  test('R20: is read anew before money moves: a vote that it no longer bears counts no more', async () => {
    const back = await withRules(calm);
    const of = { customer: 'cus_later' };
    const input = await stand.opened(12_000, of);
    const policy = await evaluate(input);
    const publish = { input, paymentId: input.paymentId, arguments: input.arguments, policy };
    const open = await stand.run('publishApproval', { ...publish, epoch: stand.epoch, now: Date.now() });
    const message = await stand.recorded(stand.envelope(open, 'reviewer1', 'approve'));
    const { approval } = await stand.run('applyDecision', stand.toApply(open, message));
    expect(approval.status).toBe('approved');
    await stand.opened(100, of);
    await stand.opened(100, of);
    const toDo = { ...toAuthorize(input), approval, votedIn: stand.epoch };
    expect(await stand.twice('authorizeExecution', toDo)).toMatchObject({
      verdict: 'wait_again',
      approval: { status: 'open', votes: [], risk: { customer: { lastDay: 2 } } },
    });
    await back();
  });

  test('R20: opens an approval after all where nobody was asked, by the clock of the run, once', async () => {
    const of = { customer: 'cus_sudden' };
    const input = await stand.opened(100, of);
    expect(await evaluate(input)).toMatchObject({ decision: 'automatic' });
    await stand.opened(100, of);
    await stand.opened(100, of);
    const back = await withRules(velocity);
    const verdict = await stand.twice('authorizeExecution', toAuthorize(input));
    expect(verdict).toMatchObject({
      verdict: 'wait_again',
      approval: {
        ...{ status: 'open', revision: 1, openedAt: 1_800_000_000_000, requester: 'service' },
        policy: { decision: 'approval', needed: 1, ruleIds: expect.arrayContaining(['velocity']) },
      },
    });
    await back();
    // What has been opened stays so, and a run of 0.1, which names no clock, is asked nothing new.
    expect(await stand.run('authorizeExecution', toAuthorize(input))).toEqual(verdict);
    const other = await stand.opened(100, of);
    const { now: _none, ...old } = toAuthorize(other);
    expect(await stand.run('authorizeExecution', old)).toEqual({ verdict: 'execute' });
  });
});

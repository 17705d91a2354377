import type { ApprovalState } from '../../src/domain/approval/state';
import type { RefundInput } from '../../src/domain/refund/state';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());
afterEach(() => stand.provider.admin('DELETE', 'faults'));

async function approved(minor: number): Promise<{ input: RefundInput; approval: ApprovalState }> {
  const { input, approval: open } = await stand.published(minor);
  let approval = open;
  for (const who of ['reviewer1', 'reviewer2'].slice(0, open.policy.needed)) {
    const message = await stand.recorded(stand.envelope(approval, who, 'approve'));
    ({ approval } = await stand.run('applyDecision', stand.toApply(approval, message)));
  }
  expect(approval.status).toBe('approved');
  return { input, approval };
}

const toAuthorize = (
  { tenant, runId, paymentId, arguments: args }: RefundInput,
  approval?: ApprovalState,
) => ({
  tenant,
  runId,
  paymentId,
  arguments: args,
  ...(approval ? { approval, votedIn: stand.epoch } : {}),
  epoch: stand.epoch,
});

async function withActive<T>(id: string, active: boolean, work: () => Promise<T>): Promise<T> {
  const set = (to: boolean) =>
    query(stand.database.adminUrl, `update principals set active = $1 where tenant = 'acme' and id = $2`, [
      to,
      id,
    ]);
  await set(active);
  return work().finally(() => set(!active));
}

describe('authorizeExecution', () => {
  test('R36: executed twice it authorizes once, and takes down what was approved', async () => {
    const { input, approval } = await approved(12_000);
    expect(await stand.twice('authorizeExecution', toAuthorize(input, approval))).toEqual({
      verdict: 'execute',
    });
    expect(await stand.in((unit) => unit.runs.find(input.runId))).toMatchObject({
      phase: 'executing',
      approved: input.arguments,
      executed: null,
    });
  });

  test('R23: a role lost since the vote voids that vote, twice the same, and the others stay', async () => {
    const { input, approval } = await approved(60_000);
    const verdict = await withActive('reviewer2', false, () =>
      stand.twice('authorizeExecution', toAuthorize(input, approval)),
    );
    expect(verdict).toMatchObject({
      verdict: 'wait_again',
      approval: { status: 'open', revision: 1, votes: [{ actor: 'reviewer1' }] },
    });
    expect(await stand.in((unit) => unit.approvals.find(approval.id))).toMatchObject({
      approval: { status: 'open' },
    });
  });

  test('R20: a stricter policy opens one new revision, however often it is asked', async () => {
    const { input, approval } = await approved(12_000);
    const publish = (version: string, approvers: number) =>
      query(
        stand.database.adminUrl,
        `insert into policies (tenant, version, document) select 'acme', $1::text, jsonb_set(document,
           '{tiers,USD,1,approvers}', to_jsonb($2::int)) from policies where tenant = 'acme' order by published_at limit 1`,
        [version, approvers],
      );
    await publish('stricter', 3);
    const verdict = await stand.twice('authorizeExecution', toAuthorize(input, approval));
    expect(verdict).toMatchObject({
      verdict: 'wait_again',
      approval: { status: 'open', revision: 2, votes: [], policy: { needed: 3, policyVersion: 'stricter' } },
    });
    expect(await stand.in((unit) => unit.approvals.revisions(approval.id))).toHaveLength(2);
    await publish('as before', 1);
  });

  test.each([
    [
      'a dispute',
      'needs_review',
      'payment_disputed',
      (charge: string) => stand.provider.admin('POST', 'disputes', { charge }),
    ],
    [
      'refunds by hand that left too little',
      'refused',
      'exceeds_remaining',
      (charge: string) => stand.provider.stripe.refunds.create({ charge, amount: 90_000 }),
    ],
  ] as const)('R20: %s since the proposal: %s', async (_what, verdict, code, happen) => {
    const { input, approval } = await approved(12_000);
    await happen(input.paymentId);
    expect(await stand.twice('authorizeExecution', toAuthorize(input, approval))).toMatchObject({
      verdict,
      code,
    });
  });

  test('R27: once the call is journalled only its outcome counts', async () => {
    const { input, approval } = await approved(12_000);
    await stand.in((unit) =>
      unit.effects.begin(`${input.runId}:issue_refund`, input.runId, 'issue_refund', 'r'),
    );
    await stand.provider.admin('POST', 'disputes', { charge: input.paymentId });
    expect(await stand.run('authorizeExecution', toAuthorize(input, approval))).toEqual({
      verdict: 'execute',
    });
  });
});

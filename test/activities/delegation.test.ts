import { ofMoney } from '../../src/domain/refund/state';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
  // The executives approve nothing by themselves; policy lets approvers hand their say over to them.
  await asOwner(
    `insert into policies (tenant, version, document)
     select tenant, 'delegable', document || '{"delegateTo": ["executives"]}' from policies where tenant = 'acme'`,
  );
  await asOwner(
    `insert into principals (tenant, id, kind, display_name, groups) values ('acme', 'chief', 'person', 'Chief', '{executives}')`,
  );
});
afterAll(() => stand.close());

const asOwner = (statement: string) => query(stand.database.ownerUrl, statement);

/** Two votes: that of the chief on the authority of reviewer1, and that of reviewer2. */
async function approvedByDelegate() {
  const { approval, input } = await stand.published(60_000);
  let current = approval;
  for (const [actor, kind, more] of [
    ['reviewer1', 'delegate', { to: 'chief' }],
    ['chief', 'approve', {}],
    ['reviewer2', 'approve', {}],
  ] as const) {
    const message = await stand.recorded(stand.envelope(current, actor, kind, more));
    const applied = await stand.twice('applyDecision', stand.toApply(current, message));
    expect([actor, applied.answer]).toEqual([actor, { accepted: true }]);
    current = applied.approval;
  }
  expect(current.status).toBe('approved');
  expect(current.votes).toMatchObject([
    { actor: 'chief', onAuthorityOf: 'reviewer1' },
    { actor: 'reviewer2' },
  ]);
  const { tenant, runId, paymentId } = input;
  const { epoch } = stand;
  return { tenant, runId, paymentId, arguments: ofMoney(current.arguments), approval: current, epoch };
}

describe('a vote on the authority of somebody else', () => {
  test('R23: counts while both still may', async () => {
    const execution = await approvedByDelegate();
    expect(await stand.run('authorizeExecution', execution)).toEqual({ verdict: 'execute' });
  });

  test.each([
    [
      'whoever gave it is no approver any more',
      `groups = '{proposers}'`,
      'reviewer1',
      `groups = '{approvers,proposers}'`,
    ],
    ['whoever gave it is gone', 'active = false', 'reviewer1', 'active = true'],
    ['whoever has it is no executive any more', `groups = '{}'`, 'chief', `groups = '{executives}'`],
  ])('R23: is void at execution when %s', async (_why, lost, who, back) => {
    const execution = await approvedByDelegate();
    await asOwner(`update principals set ${lost} where tenant = 'acme' and id = '${who}'`);
    try {
      expect(await stand.run('authorizeExecution', execution)).toMatchObject({
        verdict: 'wait_again',
        approval: { status: 'open', votes: [{ actor: 'reviewer2' }] },
      });
    } finally {
      await asOwner(`update principals set ${back} where tenant = 'acme' and id = '${who}'`);
    }
  });

  test('R23: is refused when it arrives after its giver took it back', async () => {
    const { approval } = await stand.published(60_000);
    let current = approval;
    for (const [actor, kind, more, code] of [
      ['chief', 'approve', {}, 'forbidden'],
      ['reviewer1', 'delegate', { to: 'chief' }, undefined],
      ['reviewer1', 'withdraw', {}, undefined],
      ['chief', 'approve', {}, 'forbidden'],
    ] as const) {
      const message = await stand.recorded(stand.envelope(current, actor, kind, more));
      const applied = await stand.twice('applyDecision', stand.toApply(current, message));
      expect([actor, kind, applied.answer.code]).toEqual([actor, kind, code]);
      current = applied.approval;
    }
  });
});

describe('every other kind', () => {
  test('R36: executed twice, each has one effect and one answer, and tells everybody once', async () => {
    const { approval, input } = await stand.published(60_000);
    let current = approval;
    for (const [actor, kind, comment] of [
      ['reviewer1', 'claim', undefined],
      ['reviewer1', 'release', undefined],
      ['reviewer1', 'request_info', 'which?'],
      ['service', 'answer_info', 'that one'],
      ['reviewer2', 'escalate', undefined],
      ['reviewer2', 'comment', 'seen'],
      ['reviewer2', 'approve', undefined],
      ['reviewer2', 'withdraw', undefined],
    ] as const) {
      const envelope = stand.envelope(current, actor, kind);
      const message = await stand.recorded(envelope, comment);
      const applied = await stand.twice('applyDecision', stand.toApply(current, message));
      expect([kind, applied.answer.accepted]).toEqual([kind, true]);
      current = applied.approval;
    }
    const events = (await stand.events(input.runId)).filter((event) => event.startsWith('decision_'));
    expect(events).toHaveLength(8);
    const told = await query<{ recipient: string; template: string }>(
      stand.database.adminUrl,
      `select recipient, template from notifications where run_id = '${input.runId}' order by created_at`,
    );
    expect(told.map(({ recipient, template }) => [recipient, template])).toEqual([
      ['service', 'info_requested'],
      ['reviewer1', 'info_answered'],
      ['group:finance-lead', 'approval_waiting'],
    ]);
  });

  test('R28: grace is granted once, executed twice', async () => {
    const { approval, input } = await stand.published(60_000);
    const now = approval.deadline + 60_000;
    const forgiven = { ...approval, policy: { ...approval.policy, graceAfterOutageHours: 1 } };
    await stand.in((unit) => unit.approvals.save(forgiven, stand.epoch));
    const { tenant, runId } = input;
    const over = { tenant, runId, approvalId: approval.id, now };
    const extended = await stand.twice('grantGrace', over);
    expect(extended.deadline).toBe(now + 3_600_000);
    expect(await stand.run('grantGrace', { ...over, now: now + 9_000_000 })).toEqual(extended);
  });
});

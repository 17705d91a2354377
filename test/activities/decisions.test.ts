import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());

const lowered = { arguments: { amount: { value: '550.00', currency: 'USD' } } };

describe('applyDecision', () => {
  test.each([
    ['approve', {}, { status: 'open', revision: 1 }],
    ['reject', {}, { status: 'rejected', revision: 1 }],
    ['edit', lowered, { status: 'open', revision: 2 }],
  ] as const)('R36: %s, executed twice, has one effect and one answer', async (kind, more, expected) => {
    const { approval, input } = await stand.published(60_000);
    const envelope = stand.envelope(approval, 'reviewer1', kind, more);
    const message = await stand.recorded(envelope);
    const applied = await stand.twice('applyDecision', stand.toApply(approval, message));
    expect(applied).toMatchObject({ answer: { accepted: true }, approval: expected });
    expect((await stand.events(input.runId)).filter((e) => e === `decision_${kind}`)).toHaveLength(1);
    // A transaction of a worker can be ahead of a Temporal that dies: owed until the history has it.
    expect(await stand.store.owed(-60_000, 10)).toMatchObject([{ kind: 'decision', runId: input.runId }]);
    await stand.in((unit) =>
      unit.outbox.done({ runId: input.runId, kind: 'decision', ref: envelope.decisionId }),
    );
  });

  test('R25: a refusal, executed twice, is one row, and changes nothing', async () => {
    const { approval } = await stand.published(60_000);
    const before = await stand.in((unit) => unit.approvals.find(approval.id));
    for (const actor of ['service', 'admin', 'nobody']) {
      const message = await stand.recorded(stand.envelope(approval, actor, 'approve'));
      const { answer } = await stand.twice('applyDecision', stand.toApply(approval, message));
      expect(answer).toMatchObject({ accepted: false, code: 'forbidden' });
    }
    expect(await stand.in((unit) => unit.approvals.find(approval.id))).toEqual(before);
    expect((await stand.events(approval.runId)).filter((e) => e === 'decision_refused')).toHaveLength(3);
  });

  test('R22: an edit above the balance is refused, holds no more, and makes no revision', async () => {
    const { approval, input } = await stand.published(60_000);
    const edit = { arguments: { amount: { value: '1000.01', currency: 'USD' } } };
    const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'edit', edit));
    const applied = await stand.twice('applyDecision', stand.toApply(approval, message));
    expect(applied).toMatchObject({ answer: { accepted: false, code: 'exceeds_remaining' }, approval });
    expect(await stand.in((unit) => unit.ledger.find(input.paymentId))).toMatchObject({ reserved: 60_000 });
    expect(await stand.in((unit) => unit.approvals.revisions(approval.id))).toHaveLength(1);
  });

  test('R22: proposed, edited and held are kept apart, and the newest policy judges the edit', async () => {
    const { approval, input } = await stand.published(12_000);
    const edit = { arguments: { amount: { value: '600.00', currency: 'USD' } } };
    const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'edit', edit));
    const { approval: edited } = await stand.run('applyDecision', stand.toApply(approval, message));
    expect(edited).toMatchObject({ arguments: { amount: { minor: 60_000 } }, policy: { needed: 2 } });
    expect(await stand.in((unit) => unit.ledger.find(input.paymentId))).toMatchObject({ reserved: 60_000 });
    expect(await stand.in((unit) => unit.runs.find(input.runId))).toMatchObject({
      request: { amount: { minor: 12_000 } },
      amount: { minor: 60_000 },
    });
    expect(await stand.in((unit) => unit.approvals.revisions(approval.id))).toMatchObject([
      { revision: 1, proposedBy: 'service', arguments: { amount: { minor: 12_000 } } },
      { revision: 2, proposedBy: 'reviewer1', arguments: { amount: { minor: 60_000 } } },
    ]);
  });

  test('R29: a signed decision counts as one of its signer, executed twice and sent again', async () => {
    const { approval } = await stand.published(60_000);
    const envelope = stand.envelope(approval, 'reviewer1', 'approve');
    const jws = await stand.signatures.sign(envelope);
    const applied = await stand.twice('applyDecision', stand.toApply(approval, { kind: 'signed', jws }));
    expect(applied.approval.votes).toMatchObject([{ actor: 'reviewer1', decisionId: envelope.decisionId }]);
    const resent = await stand.signatures.sign({ ...envelope, receivedAt: envelope.receivedAt + 1 });
    const again = await stand.run('applyDecision', stand.toApply(approval, { kind: 'signed', jws: resent }));
    expect(again).toMatchObject({
      answer: { accepted: true },
      approval: { votes: [{ actor: 'reviewer1' }] },
    });
    const other = await stand.signatures.sign({ ...envelope, actor: 'reviewer2' });
    const conflict = await stand.run(
      'applyDecision',
      stand.toApply(approval, { kind: 'signed', jws: other }),
    );
    expect(conflict.answer).toMatchObject({ accepted: false, code: 'decision_conflict' });
  });

  test('R29: what nobody signed, or was signed for another approval, is on record as refused, once', async () => {
    const { approval } = await stand.published(60_000);
    const { approval: other } = await stand.published(60_000);
    const foreign = await stand.signatures.sign(stand.envelope(other, 'reviewer1', 'approve'));
    for (const message of [
      { kind: 'signed', jws: 'unreadable' },
      { kind: 'signed', jws: foreign },
      {
        kind: 'recorded',
        approvalId: approval.id,
        decisionId: 'never-recorded',
        decision: 'approve',
        proposalHash: approval.proposalHash,
      },
    ] as const) {
      const applied = await stand.twice('applyDecision', stand.toApply(approval, message));
      expect(applied).toMatchObject({ answer: { accepted: false, code: 'signature_invalid' }, approval });
    }
    expect((await stand.events(approval.runId)).filter((e) => e === 'signal_refused')).toHaveLength(3);
    const text = JSON.stringify(await stand.everyRow());
    expect(text).not.toContain(foreign);
    expect(text).not.toContain('unreadable');
  });

  test('R23: whoever was an approver when he decided and is none now has no vote', async () => {
    const { approval } = await stand.published(60_000);
    const message = await stand.recorded(stand.envelope(approval, 'reviewer2', 'approve'));
    const retire = (active: boolean) =>
      query(
        stand.database.adminUrl,
        `update principals set active = $1 where tenant = 'acme' and id = 'reviewer2'`,
        [active],
      );
    await retire(false);
    const applied = await stand.run('applyDecision', stand.toApply(approval, message));
    await retire(true);
    expect(applied).toMatchObject({
      answer: { accepted: false, code: 'forbidden' },
      approval: { votes: [] },
    });
  });
});

describe('remindApprovers and flagForReview', () => {
  const toldOf = (runId: string) =>
    query<{ recipient: string }>(
      stand.database.adminUrl,
      `select recipient from notifications where run_id = $1 order by 1`,
      [runId],
    );

  test('R28: a reminder, executed twice, is one message to each group; escalation adds a group and removes nobody', async () => {
    const { approval } = await stand.published(60_000);
    const rung = { tenant: 'acme', runId: approval.runId, approvalId: approval.id };
    expect(await stand.twice('remindApprovers', { ...rung, afterHours: 24 })).toEqual(approval);
    const escalate = { ...rung, afterHours: 48, escalateTo: 'finance-lead' };
    const escalated = await stand.run('remindApprovers', escalate);
    expect(escalated).toEqual({ ...approval, escalatedTo: ['finance-lead'] });
    expect(await stand.run('remindApprovers', escalate)).toEqual(escalated);
    expect((await toldOf(approval.runId)).map((r) => r.recipient)).toEqual([
      'group:approvers',
      'group:approvers',
      'group:finance-lead',
    ]);
    expect((await stand.events(approval.runId)).slice(-2)).toEqual(['reminded', 'escalated']);
  });

  test('R28: nobody is reminded of what is decided', async () => {
    const { approval } = await stand.published(60_000);
    const message = await stand.recorded(stand.envelope(approval, 'lead', 'reject'));
    await stand.run('applyDecision', stand.toApply(approval, message));
    const rung = { tenant: 'acme', runId: approval.runId, approvalId: approval.id };
    expect(await stand.twice('remindApprovers', { ...rung, afterHours: 24 })).toMatchObject({
      status: 'rejected',
    });
    expect(await toldOf(approval.runId)).toEqual([]);
  });

  test('R17: a run that a person must look at says so once a round', async () => {
    const { tenant, runId } = await stand.opened(12_000);
    const why = { code: 'payment_disputed', detail: 'a dispute', tried: [], actions: ['fail'] } as const;
    const flag = { ...why, tenant, runId, epoch: stand.epoch, now: 1 };
    await stand.twice('flagForReview', { ...flag, round: 1 });
    await stand.twice('flagForReview', { ...flag, round: 2 });
    expect((await stand.events(runId)).filter((e) => e === 'needs_review')).toHaveLength(2);
    expect(await stand.in((unit) => unit.runs.find(runId))).toMatchObject({
      phase: 'needs_review',
      review: { ...why, round: 2, since: 1 },
    });
  });
});

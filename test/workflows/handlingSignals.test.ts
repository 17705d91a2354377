import type { ApprovalView } from '../../src/application/views';
import { signDecision } from '../../src/adapters/signatures/decisionJws';
import { parseSigningKey } from '../../src/main/signingKey';
import { query } from '../support/database';
import { until } from '../support/processes';
import { signingKey } from '../support/shared';
import { TestStack } from '../support/stack';
import { auditOf, eventsOf, refundCalls } from './evidence';

type Person = 'reviewer1' | 'reviewer2' | 'lead' | 'service';
type Body = Record<string, unknown>;

describe('decisions of every kind that come as signals or while no worker is up', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  async function opened(amount = '800.00', more: Body = {}): Promise<ApprovalView> {
    const charge = await stack.provider.charge(1_000_000);
    return stack.as('service').openApproval({ paymentId: charge, amount, ...more });
  }
  const signal = (runId: string, jws: string) =>
    stack.temporal.handle('acme', runId).signal('approval', { jws });
  const shown = (approval: ApprovalView) => stack.as('lead').approval(approval.id);

  async function signed(person: Person, approval: ApprovalView, decision: string, more: Body = {}) {
    const { proposalHash } = approval;
    const path = `/v1/approvals/${approval.id}/signatures`;
    const answer = await stack.as(person).call('POST', path, { decision, proposalHash, ...more });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('jws')]);
    return answer.body.jws as string;
  }

  /** Signed, signalled, and applied once, also when the signal comes twice. */
  async function signalled(person: Person, approval: ApprovalView, decision: string, more: Body = {}) {
    const jws = await signed(person, approval, decision, more);
    await signal(approval.runId, jws);
    await signal(approval.runId, jws);
    await until(async () => (await eventsOf(stack, approval.runId)).includes(`decision_${decision}`));
    const events = (await eventsOf(stack, approval.runId)).filter((e) => e === `decision_${decision}`);
    expect(events).toHaveLength(1);
    return shown(approval);
  }

  test('R26: every kind counts as a signed signal as it does over HTTP, with the words that were signed', async () => {
    const approval = await opened();
    expect(await signalled('reviewer1', approval, 'claim')).toMatchObject({ claim: { by: 'reviewer1' } });
    expect(await signalled('reviewer1', approval, 'release')).toMatchObject({ claim: null });
    const asked = await signalled('reviewer1', approval, 'request_info', { comment: 'which parcel?' });
    expect(asked.infoRequests).toMatchObject([{ by: 'reviewer1', question: 'which parcel?', open: true }]);
    const [{ id: questionId } = { id: '' }] = asked.infoRequests;
    const answered = await signalled('service', approval, 'answer_info', {
      comment: 'the second',
      questionId,
    });
    expect(answered.infoRequests).toMatchObject([{ open: false, answer: { text: 'the second' } }]);
    const said = await signalled('reviewer2', approval, 'comment', { comment: 'seen before' });
    expect(said.timeline.at(-1)).toMatchObject({ actor: 'reviewer2', comment: 'seen before' });
    expect((await signalled('reviewer2', approval, 'escalate')).policy.escalatedTo).toEqual(['finance-lead']);
    const given = await signalled('reviewer2', approval, 'delegate', { to: 'lead' });
    expect(given.delegations).toMatchObject([{ from: 'reviewer2', to: 'lead' }]);
    expect((await signalled('reviewer1', approval, 'approve')).votes).toMatchObject([{ actor: 'reviewer1' }]);
    expect((await signalled('reviewer1', approval, 'withdraw')).votes).toEqual([]);
    const over = await signalled('lead', approval, 'reject', {
      reasonCode: 'not_eligible',
      comment: 'too late',
    });
    expect(over.decidedBy).toMatchObject({ actor: 'lead', reasonCode: 'not_eligible' });
    expect(over.timeline.at(-1)).toMatchObject({ comment: 'too late' });
    await stack.as('service').untilPhase(approval.runId, 'rejected');
  });

  test('R29: what was only given out signed is no decision yet, whoever names it without the signature', async () => {
    const approval = await opened('120.00');
    const decisionId = 'signed-not-sent';
    const jws = await signed('reviewer1', approval, 'approve', { decisionId, comment: 'photo checked' });
    const { id: approvalId, proposalHash, runId } = approval;
    const named = { kind: 'recorded', approvalId, decisionId, decision: 'approve', proposalHash };
    const answer = await stack.temporal.handle('acme', runId).executeUpdate('decide', { args: [named] });
    expect(answer).toMatchObject({ accepted: false, code: 'signature_invalid' });
    expect(await refundCalls(stack, approval.target)).toEqual([]);
    expect(await shown(approval)).toMatchObject({ status: 'open', votes: [], timeline: [] });

    await signal(runId, jws);
    await stack.as('service').untilPhase(runId, 'completed');
    expect((await shown(approval)).timeline).toMatchObject([{ decisionId, comment: 'photo checked' }]);
  });

  test('R29: words that nobody put on record are not said by a signature', async () => {
    const approval = await opened('120.00');
    const envelope = {
      tenant: 'acme',
      runId: approval.runId,
      approvalId: approval.id,
      decisionId: 'wordless',
      decision: 'request_info',
      proposalHash: approval.proposalHash,
      commentHash: 'a'.repeat(64),
      actor: 'reviewer1',
      receivedAt: Date.now(),
    } as const;
    await signal(approval.runId, await signDecision(envelope, await parseSigningKey(signingKey)));
    await until(async () => (await eventsOf(stack, approval.runId)).includes('decision_refused'));
    const refused = (await auditOf(stack, approval.runId)).find((line) => line.event === 'decision_refused');
    expect(refused).toMatchObject({ actor: 'reviewer1', reason: 'invalid_request' });
    expect((await shown(approval)).infoRequests).toEqual([]);
  });

  test('R21: another policy version than the one in force is refused at once, and told what differs; so is evidence that is not there', async () => {
    const evidence = ['photo of the box', { label: 'receipt', url: 'https://example.com/receipt' }];
    const approval = await opened('120.00', { evidence });
    expect(approval.evidence).toMatchObject([
      { id: 'evidence-1', label: 'photo of the box', url: null },
      { id: 'evidence-2', label: 'receipt', url: 'https://example.com/receipt' },
    ]);
    const reviewer = stack.as('reviewer1');
    const stale = await reviewer.decide(approval, 'approve', { policyVersion: '2001-01-01' });
    expect([stale.status, stale.body]).toMatchObject([
      409,
      { code: 'decision_stale', differs: ['policyVersion'], currentPolicyVersion: approval.policy.version },
    ]);
    const unseen = await reviewer.decide(approval, 'approve', { evidenceSeen: ['evidence-3'] });
    expect([unseen.status, unseen.body.issues]).toMatchObject([422, [{ path: 'evidenceSeen' }]]);
    const bound = { revision: 1, policyVersion: approval.policy.version, evidenceSeen: ['evidence-2'] };
    expect((await reviewer.decide(approval, 'approve', bound)).body.status).toBe('approved');
    const vote = (await auditOf(stack, approval.runId)).find((line) => line.event === 'decision_approve');
    expect(vote?.after).toMatchObject({ evidenceSeen: ['evidence-2'] });
    const stored = await query<{ decision: Body }>(
      stack.database.adminUrl,
      `select decision from decisions where approval_id = $1 and status = 'applied'`,
      [approval.id],
    );
    expect(stored).toMatchObject([{ decision: bound }]);
  });

  test('R39: words with a card number are refused, are nowhere, and the same decision without them counts', async () => {
    const approval = await opened('120.00');
    const comment = 'is it 4242 4242 4242 4242?';
    for (const kind of ['request_info', 'comment', 'escalate']) {
      const refused = await stack.as('reviewer1').decide(approval, kind, { comment });
      expect([kind, refused.status, refused.body.code]).toEqual([kind, 422, 'sensitive_text']);
      expect(refused.text).not.toContain('4242');
    }
    const kept = await query(stack.database.adminUrl, `select 1 from decisions where comment like '%4242%'`);
    expect(kept).toEqual([]);
    const clean = await stack.as('reviewer1').decide(approval, 'comment', { comment: 'which card?' });
    const twice = await stack.as('reviewer1').decide(approval, 'comment', { comment: 'which card?' });
    expect([clean.status, twice.status, twice.body.timeline]).toMatchObject([
      200,
      200,
      [{ comment: 'which card?' }],
    ]);
  });

  test('R26: what comes while no worker is up is on record, and takes effect in the order in which it was received', async () => {
    const approval = await opened('120.00');
    await stack.killWorkers();
    const sent: [Person, string, Body][] = [
      ['reviewer1', 'claim', {}],
      ['reviewer2', 'approve', {}],
      ['reviewer1', 'request_info', { comment: 'which parcel?' }],
      ['reviewer1', 'release', {}],
      ['service', 'answer_info', { comment: 'the second' }],
    ];
    for (const [person, decision, more] of sent) {
      const answer = await stack.as(person).decide(approval, decision, more);
      expect([decision, answer.status]).toEqual([decision, 202]);
    }
    await stack.startWorker();
    await until(async () => (await eventsOf(stack, approval.runId)).includes('decision_answer_info'));
    const told = (await auditOf(stack, approval.runId)).filter(({ step }) =>
      step.startsWith('apply_decision'),
    );
    expect(told.map(({ actor, event, reason }) => [actor, event, reason])).toEqual([
      ['reviewer1', 'decision_claim', null],
      ['reviewer2', 'decision_refused', 'approval_claimed'],
      ['reviewer1', 'decision_request_info', null],
      ['reviewer1', 'decision_release', null],
      ['service', 'decision_answer_info', null],
    ]);
    expect(await shown(approval)).toMatchObject({ status: 'open', votes: [], claim: null });
  }, 60_000);
});

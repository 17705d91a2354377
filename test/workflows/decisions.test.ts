import { randomUUID } from 'node:crypto';
import { approvalIdOf, type Answer } from '../support/api';
import { TestStack } from '../support/stack';
import { query } from '../support/database';
import { until } from '../support/processes';
import { auditOf, eventsOf, paidOut, refundCalls } from './evidence';
import { manyDecisions } from './manyDecisions';

const statusOf = ({ status, body }: Answer): [number, string] => [status, String(body.status)];

describe('decisions on one approval', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount: string, more = {}) => stack.opened(amount, 1_000_000, more);
  manyDecisions({ stack: () => stack, opened });
  const completed = (runId: string) => stack.as('service').untilPhase(runId, 'completed');

  test('R21: a decision with another hash is refused as stale, says what is in force, and applies to nothing', async () => {
    const { charge, approval } = await opened('120.00');
    const stale = await stack
      .as('reviewer1')
      .decide({ id: approval.id, proposalHash: '0'.repeat(64) }, 'approve');
    expect(stale.status).toBe(409);
    expect(stale.body).toMatchObject({
      code: 'decision_stale',
      currentRevision: 1,
      currentHash: approval.proposalHash,
    });
    expect((await stack.as('service').approval(approval.id)).votes).toEqual([]);
    expect(await paidOut(stack, charge)).toEqual([]);
    expect(await eventsOf(stack, approval.runId)).toContain('decision_refused');
  });

  test('R21: the hash of one approval decides nothing about another of the same payment and amount', async () => {
    const charge = await stack.provider.charge(100_000);
    const service = stack.as('service');
    const one = await service.openApproval({ paymentId: charge, amount: '60.00' });
    const two = await service.openApproval({ paymentId: charge, amount: '60.00' });
    const crossed = await stack
      .as('reviewer1')
      .decide({ id: two.id, proposalHash: one.proposalHash }, 'approve');
    expect([crossed.status, crossed.body.code]).toEqual([409, 'decision_stale']);
    expect((await service.approval(two.id)).votes).toEqual([]);
  });

  test('R23: requester, the human behind a service, services, agents and administrators cannot approve; each attempt is on record', async () => {
    const { charge, approval } = await opened('120.00', { onBehalfOf: 'reviewer2' });
    const refusals: unknown[] = [];
    for (const person of ['service', 'agent', 'admin', 'reviewer2'] as const) {
      const answer = await stack.as(person).decide(approval, 'approve');
      refusals.push([person, answer.status, answer.body.code]);
    }
    expect(refusals).toEqual([
      ['service', 403, 'forbidden'],
      ['agent', 403, 'forbidden'],
      ['admin', 403, 'forbidden'],
      ['reviewer2', 403, 'separation_of_duties'],
    ]);
    const own = await stack.as('reviewer1').openApproval({ paymentId: charge, amount: '110.00' });
    const ownVote = await stack.as('reviewer1').decide(own, 'approve');
    expect([ownVote.status, ownVote.body.code]).toEqual([403, 'separation_of_duties']);
    const foreign = await stack.as('reviewer1', 'globex').decide(approval, 'approve');
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);

    const refused = (await auditOf(stack, approval.runId)).filter(
      (line) => line.event === 'decision_refused',
    );
    expect(refused.map((line) => line.actor)).toEqual(['service', 'agent', 'admin', 'reviewer2']);
    expect(await paidOut(stack, charge)).toEqual([]);
  });

  test('R24: a quorum of two needs two people; one person twice is one vote', async () => {
    const { charge, approval } = await opened('800.00');
    expect(approval.needed).toBe(2);
    const first = await stack.as('reviewer1').decide(approval, 'approve');
    expect([first.status, first.body.status]).toEqual([200, 'open']);
    const twice = await stack.as('reviewer1').decide(approval, 'approve', { decisionId: randomUUID() });
    expect([twice.status, twice.body.code]).toEqual([409, 'already_voted']);
    expect(await paidOut(stack, charge)).toEqual([]);
    const second = await stack.as('reviewer2').decide(approval, 'approve');
    expect([second.status, second.body.status]).toEqual([200, 'approved']);
    await completed(approval.runId);
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });

  test('R24: above 5,000.00 two reviewers are not enough without finance-lead, beside whom their limit does not bind', async () => {
    const { charge, approval } = await opened('6000.00');
    for (const person of ['reviewer1', 'reviewer2'] as const) {
      const vote = await stack.as(person).decide(approval, 'approve');
      expect([vote.status, vote.body.status]).toEqual([200, 'open']);
    }
    expect(await paidOut(stack, charge)).toEqual([]);
    const lead = await stack.as('lead').decide(approval, 'approve');
    expect([lead.status, lead.body.status]).toEqual([200, 'approved']);
    await completed(approval.runId);
    expect(await paidOut(stack, charge)).toEqual([[600_000, 'succeeded']]);
  });

  test('R25: the same decision again, with or without its id, answers as the first time and pays once', async () => {
    const { charge, approval } = await opened('120.00');
    const decisionId = randomUUID();
    const answers: Answer[] = [];
    for (let i = 0; i < 3; i += 1) {
      answers.push(await stack.as('reviewer1').decide(approval, 'approve', { decisionId }));
    }
    expect(answers.map(statusOf)).toEqual(Array.from({ length: 3 }, () => [200, 'approved']));
    await completed(approval.runId);
    const late = await stack.as('reviewer1').decide(approval, 'approve', { decisionId });
    expect([late.status, late.body.status]).toEqual([200, 'approved']);
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R25: one decision id with other content is a conflict and changes nothing', async () => {
    const { charge, approval } = await opened('800.00');
    const decisionId = randomUUID();
    await stack.as('reviewer1').decide(approval, 'approve', { decisionId });
    const other = await stack.as('reviewer1').decide(approval, 'reject', { decisionId });
    expect([other.status, other.body.code]).toEqual([409, 'decision_conflict']);
    const stolen = await stack.as('reviewer2').decide(approval, 'approve', { decisionId });
    expect([stolen.status, stolen.body.code]).toEqual([409, 'decision_conflict']);
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      status: 'open',
      votes: [{ actor: 'reviewer1' }],
    });
    expect(await paidOut(stack, charge)).toEqual([]);
  });

  test('R25: a late and a conflicting decision are told by whom and how it was decided', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.as('reviewer1').decide(approval, 'reject', { comment: 'not ours' });
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    for (const decision of ['approve', 'reject']) {
      const late = await stack.as('reviewer2').decide(approval, decision);
      expect(late.status).toBe(409);
      expect(late.body).toMatchObject({
        code: 'already_decided',
        detail: 'this approval was rejected already by reviewer1',
        decidedBy: 'reviewer1',
        decision: 'reject',
      });
    }
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R25: a decision before the approval is open is told so by the door and by the workflow', async () => {
    const charge = await stack.provider.charge(100_000);
    await stack.killWorkers();
    const started = await stack.as('service').startRefund({ paymentId: charge, amount: '120.00' });
    const runId: string = started.body.runId;
    const early = await stack
      .as('reviewer1')
      .decide({ id: approvalIdOf(runId), proposalHash: '0'.repeat(64) }, 'approve');
    expect([early.status, early.body.code]).toEqual([404, 'not_found']);
    await stack.startWorker();
    await stack.as('service').untilPhase(runId, 'waiting_approval');
    // An automatic refund never opens one.
    const automatic = await stack.provider.charge(1_000);
    await stack.provider.admin('POST', 'faults', {
      kind: 'refund_pending',
      match: { payment: automatic, path: '/v1/refunds' },
    });
    const small = await stack.as('service').startRefund({ paymentId: automatic, amount: '5.00' });
    await stack.as('service').untilPhase(small.body.runId, 'settling');
    const id = approvalIdOf(small.body.runId);
    const update = stack.temporal.handle('acme', small.body.runId).executeUpdate('decide', {
      args: [
        {
          kind: 'recorded',
          approvalId: id,
          decisionId: 'd1',
          decision: 'approve',
          proposalHash: '0'.repeat(64),
        },
      ],
    });
    await expect(update).rejects.toMatchObject({ cause: { type: 'approval_not_open' } });
  });

  /** Every decision of a burst, once the workflow has answered all: a busy machine may answer some with 202 first. */
  async function answeredDecisions(approvalId: string) {
    let stored: { decision: string; status: string; code: string | null }[] = [];
    await until(async () => {
      stored = await query(
        stack.database.adminUrl,
        `select decision->>'decision' as decision, status, outcome->>'code' as code
         from decisions where approval_id = $1`,
        [approvalId],
      );
      return stored.every(({ status }) => status !== 'recorded');
    });
    return stored;
  }

  test('R25: of 50 concurrent decisions by everybody exactly one final decision wins, with one effect', async () => {
    const { charge, approval } = await opened('120.00');
    const people = ['reviewer1', 'reviewer2', 'lead'] as const;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        stack
          .as(people[i % 3] ?? 'lead')
          .decide(approval, i % 2 === 0 ? 'approve' : 'reject', { decisionId: `burst-${i}` }),
      ),
    );
    expect([200, 202, 409]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    const late = answers.filter(({ status }) => status === 409);
    for (const { body } of late) expect(body.detail).toMatch(/^this approval was \w+ already by \w+$/);
    const stored = await answeredDecisions(approval.id);
    const [winner, ...others] = stored.filter(({ status }) => status === 'applied');
    expect(others).toEqual([]);
    const losers = stored.filter(({ status }) => status === 'refused');
    expect(new Set(losers.map(({ code }) => code))).toEqual(new Set(['already_decided']));

    const outcome = winner?.decision === 'approve' ? 'completed' : 'rejected';
    await stack.as('service').untilPhase(approval.runId, outcome);
    expect(await paidOut(stack, charge)).toEqual(outcome === 'completed' ? [[12_000, 'succeeded']] : []);
    const finals = (await eventsOf(stack, approval.runId)).filter((event) =>
      ['decision_approve', 'decision_reject'].includes(event),
    );
    expect(finals).toEqual([`decision_${winner?.decision}`]);
  });

  test('R25: 20 concurrent approvals by one person are one vote', async () => {
    const { charge, approval } = await opened('800.00');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        stack.as('reviewer1').decide(approval, 'approve', { decisionId: `echo-${i}` }),
      ),
    );
    expect([200, 202, 409]).toEqual(expect.arrayContaining(answers.map(({ status }) => status)));
    const stored = await answeredDecisions(approval.id);
    expect(stored.filter(({ status }) => status === 'applied')).toHaveLength(1);
    const losers = stored.filter(({ status }) => status === 'refused');
    expect(new Set(losers.map(({ code }) => code))).toEqual(new Set(['already_voted']));
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      status: 'open',
      votes: [{ actor: 'reviewer1' }],
    });
    expect(await paidOut(stack, charge)).toEqual([]);
  });
});

import { wordsOf } from '../replay/storedHistory';
import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, eventsOf, historyOf, paidOut, refundCalls } from './evidence';
import { publishPolicy } from './publishedPolicy';

const hourMs = 3_600_000;
const lastAt = ({ timeline }: ApprovalView) => Date.parse(timeline.at(-1)?.at ?? '');

describe('what people do about an approval besides voting', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  async function opened(
    amount: string,
    more: Record<string, unknown> = {},
    tenant: 'acme' | 'globex' = 'acme',
  ) {
    const charge = await stack.provider.charge(1_000_000);
    const approval = await stack.as('service', tenant).openApproval({ paymentId: charge, amount, ...more });
    return { charge, approval };
  }

  /** `[template, data]` of everything that somebody was told about this run. */
  async function toldTo(runId: string, recipient: string) {
    const rows = await query<{ template: string; data: Record<string, unknown> }>(
      stack.database.adminUrl,
      'select template, data from notifications where run_id = $1 and recipient = $2 order by created_at',
      [runId, recipient],
    );
    return rows.map(({ template, data }) => [template, data]);
  }

  test('R25: a question goes to the requester and the person behind him, its answer back to the same reviewer, and neither decides', async () => {
    const { charge, approval } = await opened('120.00', { onBehalfOf: 'reviewer2' });
    const [question, reply] = ['Which of the two parcels was it?', 'The one that came on Friday.'];
    const asked = await stack.as('reviewer1').decide(approval, 'request_info', { comment: question });
    expect([asked.status, asked.body.status, asked.body.deadline]).toEqual([200, 'open', approval.deadline]);
    expect(asked.body.infoRequests).toMatchObject([{ by: 'reviewer1', question, open: true, answer: null }]);
    const questionId: string = asked.body.infoRequests[0].id;
    for (const recipient of ['service', 'reviewer2'])
      expect(await toldTo(approval.runId, recipient)).toEqual([
        ['info_requested', { approvalId: approval.id, by: 'reviewer1', questionId }],
      ]);

    for (const person of ['lead', 'agent', 'admin'] as const) {
      const refused = await stack.as(person).decide(approval, 'answer_info', { comment: reply });
      expect([person, refused.status, refused.body.code]).toEqual([person, 403, 'forbidden']);
    }
    const answered = await stack.as('reviewer2').decide(approval, 'answer_info', { comment: reply });
    expect(answered.status).toBe(200);
    expect(answered.body.infoRequests).toMatchObject([
      { open: false, answer: { by: 'reviewer2', text: reply } },
    ]);
    expect(await toldTo(approval.runId, 'reviewer1')).toEqual([
      ['info_answered', { approvalId: approval.id, by: 'reviewer2', questionId }],
    ]);
    const again = await stack.as('service').decide(approval, 'answer_info', { comment: 'more' });
    expect([again.status, again.body.code]).toEqual([409, 'no_open_question']);
    expect(await refundCalls(stack, charge)).toEqual([]);

    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    // What people wrote is in PostgreSQL alone.
    const history = wordsOf(await stack.temporal.handle('acme', approval.runId).fetchHistory());
    const rows = JSON.stringify(await auditOf(stack, approval.runId));
    expect(history).toContain(approval.proposalHash);
    for (const text of [question, reply]) expect(history + rows).not.toContain(text);
  });

  test('R23: whoever a service answers for has asked for the refund too, and can not approve it', async () => {
    const { approval } = await opened('120.00');
    await stack.as('reviewer1').decide(approval, 'request_info', { comment: 'Which parcel?' });
    const reply = { comment: 'The second.' };
    const person = await stack.as('reviewer2').decide(approval, 'approve', { ...reply, onBehalfOf: 'lead' });
    expect([person.status, person.body.code]).toEqual([422, 'invalid_request']);
    const answered = await stack
      .as('service')
      .decide(approval, 'answer_info', { ...reply, onBehalfOf: ' REVIEWER2 ' });
    expect(answered.status).toBe(200);
    const refused = await stack.as('reviewer2').decide(approval, 'approve');
    expect([refused.status, refused.body.code]).toEqual([403, 'separation_of_duties']);
    const told = await stack.as('service').timeline(approval.runId);
    expect(told.map(({ onBehalfOf }) => onBehalfOf)).toContain('reviewer2');
    expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
    await stack.as('service').untilPhase(approval.runId, 'completed');
  });

  test('R28: where policy says so a question stops the clock, and the answer starts it again', async () => {
    await publishPolicy(stack, 'globex', { infoPauseHours: 24 });
    const { approval } = await opened('120.00', {}, 'globex');
    const asked = await stack.as('reviewer1', 'globex').decide(approval, 'request_info', { comment: 'why?' });
    const latest = Date.parse(approval.deadline) + 24 * hourMs;
    expect(Date.parse(asked.body.deadline)).toBe(latest);
    expect(asked.body.clock.pausedSince).not.toBeNull();
    const answered = await stack.as('service', 'globex').decide(approval, 'answer_info', { comment: 'so' });
    const [asking, answering] = [asked, answered].map(({ body }) => lastAt(body as ApprovalView));
    expect(Date.parse(answered.body.deadline)).toBe(Date.parse(approval.deadline) + answering! - asking!);
    expect(answered.body.clock.pausedSince).toBeNull();
  });

  test('R28: an unanswered question delays reminders, escalation and expiry by what policy allows, and no more', async () => {
    await publishPolicy(stack, 'globex', { infoPauseHours: 24 });
    const { charge, approval } = await opened('120.00', {}, 'globex');
    await stack.as('reviewer1', 'globex').decide(approval, 'request_info', { comment: 'why?' });
    await stack.temporal.skipTime('globex', approval.runId);
    const done = await stack.as('service', 'globex').untilPhase(approval.runId, 'expired');
    expect(done.result).toMatchObject({ code: 'expired' });
    const waited = (await historyOf(stack, approval.runId, 'globex'))
      .filter((event) => event.timerFiredEventAttributes || event.timerStartedEventAttributes)
      .map((event) => event.timerStartedEventAttributes?.startToFireTimeout?.seconds)
      .filter((seconds) => seconds !== undefined && seconds !== null)
      .map((seconds) => Math.round(Number(seconds) / 3_600));
    // 24 from opening, then anew 48 from the question on: the first reminder is a day later.
    expect(waited).toEqual([24, 48, 24, 24]);
    expect(await refundCalls(stack, charge)).toEqual([]);
    const late = await stack.as('service', 'globex').decide(approval, 'answer_info', { comment: 'late' });
    expect([late.status, late.body.code]).toEqual([409, 'approval_expired']);
  });

  test('R28: escalated by a person, the group is asked at once, told once, and the ladder does not ask it twice', async () => {
    const { approval } = await opened('120.00');
    const escalated = await stack.as('reviewer1').decide(approval, 'escalate', { comment: 'beyond me' });
    expect(escalated.body.policy.escalatedTo).toEqual(['finance-lead']);
    expect(await toldTo(approval.runId, 'group:finance-lead')).toHaveLength(1);
    const again = await stack.as('reviewer2').decide(approval, 'escalate');
    expect([again.status, again.body.code]).toEqual([409, 'already_escalated']);
    await stack.temporal.skipTime('acme', approval.runId);
    await stack.as('service').untilPhase(approval.runId, 'expired');
    const events = await eventsOf(stack, approval.runId);
    expect(events.filter((e) => e === 'escalated')).toEqual([]);
    expect((await stack.as('lead').approval(approval.id)).policy.escalatedTo).toEqual(['finance-lead']);
  });

  test('R23: nobody approves himself through a delegate, and no agent or outsider gets a say', async () => {
    const { charge, approval } = await opened('120.00', { onBehalfOf: 'reviewer2' });
    const tries: unknown[] = [];
    for (const to of ['reviewer2', 'service', 'agent', 'admin', 'reviewer1', 'ghost']) {
      const answer = await stack.as('reviewer1').decide(approval, 'delegate', { to });
      tries.push([to, answer.status, answer.body.code]);
    }
    expect(tries).toEqual([
      ['reviewer2', 403, 'separation_of_duties'],
      ['service', 403, 'forbidden'],
      ['agent', 403, 'forbidden'],
      ['admin', 403, 'forbidden'],
      ['reviewer1', 422, 'invalid_request'],
      ['ghost', 422, 'invalid_request'],
    ]);
    const own = await stack.as('reviewer2').decide(approval, 'delegate', { to: 'lead' });
    expect([own.status, own.body.code]).toEqual([403, 'separation_of_duties']);
    expect((await stack.as('lead').approval(approval.id)).delegations).toEqual([]);
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R24: a say that is handed over is seen, told, and counts once', async () => {
    const { charge, approval } = await opened('800.00');
    const given = await stack
      .as('reviewer1')
      .decide(approval, 'delegate', { to: 'lead', comment: 'on leave' });
    expect(given.body.delegations).toMatchObject([{ from: 'reviewer1', to: 'lead' }]);
    expect(await toldTo(approval.runId, 'lead')).toMatchObject([['approval_delegated', { by: 'reviewer1' }]]);
    const both = await stack.as('reviewer1').decide(approval, 'approve');
    expect([both.status, both.body.code]).toEqual([409, 'already_delegated']);
    await stack.as('lead').decide(approval, 'approve');
    expect((await stack.as('reviewer2').decide(approval, 'approve')).body.status).toBe('approved');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });

  test('R25: a claim keeps others from approving until it is over by itself; they may reject meanwhile', async () => {
    await publishPolicy(stack, 'globex', { claimMinutes: 0.05 });
    const { charge, approval } = await opened('120.00', {}, 'globex');
    const [one, two] = [stack.as('reviewer1', 'globex'), stack.as('reviewer2', 'globex')];
    const held = await one.decide(approval, 'claim');
    expect(held.body.claim).toMatchObject({ by: 'reviewer1' });
    await until(async () => (await two.approval(approval.id)).claim === null);
    expect((await two.decide(approval, 'approve')).body.status).toBe('approved');
    await stack.as('service', 'globex').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);

    const acme = await opened('120.00');
    const claimed = await stack.as('reviewer1').decide(acme.approval, 'claim');
    for (const kind of ['approve', 'claim', 'release'] as const) {
      const refused = await stack.as('reviewer2').decide(acme.approval, kind);
      expect([kind, refused.status, refused.body]).toMatchObject([
        kind,
        409,
        { code: 'approval_claimed', claimedBy: 'reviewer1', until: claimed.body.claim.until },
      ]);
    }
    const named = { decisionId: 'early' };
    await stack.as('reviewer2').decide(acme.approval, 'approve', named);
    await stack.as('reviewer1').decide(acme.approval, 'release');
    // Under its own name a refusal stays what it was; without one, the same is tried anew.
    const early = await stack.as('reviewer2').decide(acme.approval, 'approve', named);
    expect([early.status, early.body.code]).toEqual([409, 'approval_claimed']);
    const other = await opened('120.00');
    await stack.as('reviewer1').decide(other.approval, 'claim');
    await stack.as('reviewer2').decide(other.approval, 'approve');
    await stack.as('reviewer1').decide(other.approval, 'release');
    expect((await stack.as('reviewer2').decide(other.approval, 'approve')).body.status).toBe('approved');
    await stack.as('reviewer1').decide(acme.approval, 'claim');
    expect((await stack.as('reviewer2').decide(acme.approval, 'reject')).body.status).toBe('rejected');
    await stack.as('service').untilPhase(acme.approval.runId, 'rejected');
    expect(await refundCalls(stack, acme.charge)).toEqual([]);
  });

  test('R24: a vote taken back counts no more, not by its replay either; given anew it counts', async () => {
    const { charge, approval } = await opened('800.00');
    const reviewer = stack.as('reviewer1');
    await reviewer.decide(approval, 'approve');
    const back = await reviewer.decide(approval, 'withdraw', { comment: 'seen too late' });
    expect([back.status, back.body.votes]).toEqual([200, []]);
    const replayed = await reviewer.decide(approval, 'withdraw');
    expect([replayed.status, replayed.body.votes]).toEqual([200, []]);
    const first = back.body.timeline[0].decisionId as string;
    const old = await reviewer.decide(approval, 'approve', { decisionId: first });
    expect([old.status, old.body.votes]).toEqual([200, []]);
    expect((await stack.as('reviewer2').decide(approval, 'approve')).body.status).toBe('open');
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect((await reviewer.decide(approval, 'approve')).body.status).toBe('approved');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
    const late = await reviewer.decide(approval, 'withdraw', { decisionId: 'too-late' });
    expect([late.status, late.body.code]).toEqual([409, 'already_decided']);
  });
});

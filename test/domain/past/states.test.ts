import { differencesOf, stepAt } from '../../../src/domain/past/points';
import { statesOf, type Transition } from '../../../src/domain/past/states';

const usd = (minor: number) => ({ minor, currency: 'USD' });
const noon = Date.parse('2026-11-29T12:00:00.000Z');

/** Rows of a run as its steps write them, a second apart. */
function rows(...said: Omit<Transition, 'seq' | 'at'>[]): Transition[] {
  return said.map((row, index) => ({ ...row, seq: index + 1, at: noon + index * 1_000 }));
}

const requested = {
  actor: 'service',
  event: 'requested',
  after: { amount: usd(80_000), paymentId: 'ch_1', reason: 'damaged', held: true },
};
const opened = {
  actor: 'countersign',
  event: 'approval_opened',
  after: { approvalId: 'apr_1', revision: 1, needed: 2, deadline: noon + 1 },
  policyVersion: 'v1',
};
const decided = (event: string, actor: string, after: Record<string, unknown>) => ({
  actor,
  event,
  after: { proposalHash: 'h', amount: usd(80_000), deadline: noon + 1, ...after },
});
const voted = decided('decision_approve', 'reviewer1', {
  ...{ revision: 1, status: 'open', votes: ['reviewer1'] },
});
const stateAfter = (...said: Omit<Transition, 'seq' | 'at'>[]) => statesOf(rows(...said)).at(-1)?.state;

describe('the states that a run has had', () => {
  test('R37: each event leads from one state to the next, up to the end', () => {
    const phases = statesOf(
      rows(
        requested,
        { actor: 'policy', event: 'policy_evaluated', after: { decision: 'approval', needed: 2 } },
        opened,
        voted,
        decided('decision_approve', 'reviewer2', {
          ...{ revision: 1, status: 'approved', votes: ['reviewer1', 'reviewer2'] },
        }),
        { actor: 'countersign', event: 'authorized' },
        { actor: 'countersign', event: 'refund_sent', effectKey: 'run_1:issue_refund' },
        { actor: 'provider', event: 'refund_outcome_unknown', reason: 'provider_timeout' },
        { actor: 'provider', event: 'refund_succeeded', after: { amount: usd(80_000) }, providerId: 're_1' },
        { actor: 'countersign', event: 'completed', after: { outcome: 'completed' } },
      ),
    ).map(({ state }) => `${state.phase} ${state.money} ${state.approval?.votes?.length ?? '-'}`);
    expect(phases).toEqual([
      ...['validating reserved -', 'validating reserved -', 'waiting_approval reserved 0'],
      ...['waiting_approval reserved 1', 'waiting_approval reserved 2', 'executing reserved 2'],
      ...['executing reserved 2', 'executing unknown 2', 'settling paid 2', 'completed paid 2'],
    ]);
  });

  test('R22: an edit is a revision of its own: who proposed the amount, and no vote from before', () => {
    const edited = decided('decision_edit', 'reviewer2', {
      ...{ revision: 2, status: 'open', votes: ['reviewer2'], amount: usd(60_000), needed: 2 },
      refundReason: 'goodwill',
    });
    expect(stateAfter(requested, opened, voted, edited)).toMatchObject({
      amount: usd(60_000),
      amountBy: 'reviewer2',
      reason: 'goodwill',
      approval: { revision: 2, votes: ['reviewer2'] },
    });
  });

  test('R27: a reset voids the votes and holds again what was given back', () => {
    const rejected = { actor: 'reviewer2', event: 'rejected', reason: 'rejected' };
    const voided = { actor: 'countersign', event: 'votes_voided', after: { revision: 2 } };
    expect(stateAfter(requested, opened, voted, rejected)).toMatchObject({
      ...{ phase: 'rejected', money: 'freed', code: 'rejected' },
      approval: { status: 'cancelled' },
    });
    expect(stateAfter(requested, opened, voted, rejected, voided)).toMatchObject({
      ...{ phase: 'waiting_approval', money: 'reserved' },
      approval: { revision: 2, status: 'open', votes: [], needed: 2 },
    });
  });

  test('R25: what was refused, and what is only news, changes nothing', () => {
    const before = stateAfter(requested, opened, voted);
    for (const event of ['decision_received', 'decision_refused', 'signal_refused', 'forked', 'notified'])
      expect(
        stateAfter(requested, opened, voted, {
          ...{ actor: 'x', event, policyVersion: 'v9' },
          after: { status: 'approved', revision: 7, amount: usd(1), votes: [] },
        }),
      ).toEqual(before);
  });

  test('votes that a release did not write down are not made up', () => {
    const again = (after: Record<string, unknown>) =>
      stateAfter(requested, opened, voted, { actor: 'c', event: 'authorization_wait_again', after })?.approval
        ?.votes;
    expect(again({ revision: 1, votes: [] })).toEqual([]);
    expect(again({ revision: 1 })).toBeNull();
    expect(again({ revision: 2 })).toEqual([]);
  });

  test('a person looks only while the run waits for him', () => {
    const flagged = { actor: 'countersign', event: 'needs_review', reason: 'payment_disputed' };
    const authorized = { actor: 'countersign', event: 'authorized' };
    expect(stateAfter(requested, flagged)).toMatchObject({
      phase: 'needs_review',
      review: 'payment_disputed',
    });
    expect(stateAfter(requested, flagged, authorized)).toMatchObject({ phase: 'executing', review: null });
  });
});

describe('points of a past', () => {
  const steps = statesOf(rows(requested, opened, voted));
  const seqAt = (point: number | string) => stepAt(steps, point, 'at').transition.seq;

  test('by number, or by what had happened until a moment', () => {
    expect(seqAt(2)).toBe(2);
    expect(seqAt('2026-11-29T12:00:01.999Z')).toBe(2);
    expect(seqAt('2026-11-29T13:00:02+01:00')).toBe(3);
    expect(seqAt('2030-01-01T00:00:00Z')).toBe(3);
  });

  test.each([4, '2026-11-29T11:59:59Z'])('%s is none that the run has had', (point) => {
    expect(() => stepAt(steps, point, 'from')).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(/^from: /) }),
    );
  });

  test('differences name every member that is another, and only those', () => {
    const [first, , third] = steps.map(({ state }) => ({ ...state }));
    expect(differencesOf(first, { ...first })).toEqual([]);
    expect(differencesOf(first, third ?? {}).map(({ what }) => what)).toEqual([
      ...['phase', 'policyVersion'],
      ...['approval.revision', 'approval.status', 'approval.votes', 'approval.needed', 'approval.deadline'],
      'approval.escalatedTo',
    ]);
    const amounts = differencesOf({ amount: usd(1) }, { amount: usd(2) });
    expect(amounts).toEqual([{ what: 'amount', before: usd(1), after: usd(2) }]);
  });
});

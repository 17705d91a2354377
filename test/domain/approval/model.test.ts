import fc from 'fast-check';
import { askAnew } from '../../../src/domain/approval/decide';
import type { DecisionKind } from '../../../src/domain/approval/message';
import type { ApprovalState } from '../../../src/domain/approval/state';
import { CountersignError } from '../../../src/domain/errors';
import {
  conclude,
  decision,
  hashOf,
  openApproval,
  people,
  policyFor,
  type Somebody,
} from './approvalFixture';
import { Book, type Action } from './book';

const amounts = [4_000, 9_000, 12_000, 60_000, 90_000, 400_000, 600_000, 700_000];
const somebody = fc.constantFrom(...(Object.keys(people) as Somebody[]));
const approver = fc.constantFrom<Somebody>('ann', 'bob', 'sam', 'lead', 'chief');
const wait = fc.constantFrom(0, 1, 20);

const acts = <Act extends string>(...names: [Act, ...Act[]]) => fc.constantFrom(...names);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ wait, act: acts('approve'), who: approver }) },
  {
    weight: 4,
    arbitrary: fc.record({ wait, act: acts('edit'), who: approver, minor: fc.constantFrom(...amounts) }),
  },
  { weight: 5, arbitrary: fc.record({ wait, act: acts('delegate'), who: approver, to: approver }) },
  {
    weight: 6,
    arbitrary: fc.record({
      wait,
      act: acts('claim', 'release', 'withdraw', 'escalate', 'request_info', 'comment'),
      who: approver,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      wait,
      act: acts('approve', 'claim', 'withdraw', 'answer_info', 'request_info', 'comment', 'stale', 'late'),
      who: somebody,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ wait, act: acts('edit'), who: somebody, minor: fc.constantFrom(...amounts) }),
  },
  { weight: 1, arbitrary: fc.record({ wait, act: acts('delegate'), who: somebody, to: somebody }) },
  {
    weight: 4,
    arbitrary: fc.record({
      wait,
      act: acts('answer_info', 'comment'),
      who: fc.constantFrom<Somebody>('requester', 'principal'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ wait, act: acts('withdraw', 'request_info'), who: approver }) },
  { weight: 1, arbitrary: fc.record({ wait, act: acts('reject'), who: somebody }) },
  { weight: 1, arbitrary: fc.record({ wait, act: acts('reset') }) },
);

const escalation = { afterHours: 48, toGroup: 'executives' };
const policyOf = (minor: number) => ({ ...policyFor(minor), escalation });

/** What the action makes of the approval, `minutes` after it was opened. */
function act(approval: ApprovalState, action: Action, minutes: number): ApprovalState {
  const receivedAt = approval.openedAt + 1 + minutes * 60_000;
  const decide = (who: Somebody, kind: DecisionKind, more = {}) =>
    conclude(approval, who, decision(approval, who, kind, { receivedAt, ...more }));
  switch (action.act) {
    case 'reset': {
      const { arguments: args, policy, revision } = approval;
      return askAnew(approval, { arguments: args, policy, proposalHash: hashOf(revision + 1) });
    }
    case 'edit':
      return decide(action.who, 'edit', {
        arguments: { amount: { value: `${action.minor / 100}.00`, currency: 'USD' } },
      });
    case 'delegate':
      return decide(action.who, 'delegate', { to: action.to });
    case 'stale':
      return decide(action.who, 'approve', { proposalHash: hashOf(approval.revision - 1) });
    case 'late':
      return decide(action.who, 'approve', { receivedAt: approval.deadline });
    default:
      return decide(action.who, action.act);
  }
}

/** @returns undefined for a refusal of ours; anything else that is thrown fails the test */
function attempt(approval: ApprovalState, action: Action, minutes: number): ApprovalState | undefined {
  try {
    return act(approval, action, minutes);
  } catch (error) {
    if (error instanceof CountersignError) return undefined;
    throw error;
  }
}

/** What must hold whatever happened, computed from the state alone. */
function checkVotes({ votes, revision, delegations = [], policy, status }: ApprovalState): void {
  const voters = votes.map((v) => v.actor);
  expect(new Set(voters).size).toBe(voters.length);
  expect(votes.every((v) => v.revision === revision)).toBe(true);
  const outsiders = ['requester', 'principal', 'agent', 'service', 'admin'];
  expect(voters.filter((v) => outsiders.includes(v))).toEqual([]);
  expect(delegations.filter((d) => voters.includes(d.from))).toEqual([]);
  if (status !== 'approved') return;
  expect(voters.length).toBeGreaterThanOrEqual(policy.needed);
  if (policy.oneFrom !== undefined) expect(voters).toContain('lead');
}

/** How often the runs ended in each way, so that a generator that reaches nothing is noticed. */
const reached = { open: 0, approved: 0, rejected: 0 };
const accepted = new Map<Action['act'], number>();

describe('an approval that several people work on at once', () => {
  test('R24: it is approved exactly when enough distinct, authorized people agreed to the revision in force', () => {
    fc.assert(
      fc.property(
        // Most need two votes, so that something can happen between them.
        fc.constantFrom(...amounts, 60_000, 90_000, 400_000, 700_000),
        fc.array(action, { minLength: 1, maxLength: 20 }),
        (minor, actions) => {
          let approval = openApproval(minor, { policy: policyOf(minor) });
          const book = new Book(minor);
          for (const action of actions) {
            // The run stops asking once it is decided: a reset comes with an approval that is open again.
            if (approval.status !== 'open' && action.act === 'reset') continue;
            const frozen = JSON.stringify(approval);
            const next = attempt(approval, action, book.minutes + action.wait);
            expect({ action, accepted: next !== undefined }).toEqual({ action, accepted: book.take(action) });
            expect(JSON.stringify(approval)).toBe(frozen);
            if (next) accepted.set(action.act, (accepted.get(action.act) ?? 0) + 1);
            approval = next ?? approval;
            const { votes, delegations = [], questions = [] } = approval;
            expect({
              status: approval.status,
              votes: new Set(votes.map((v) => v.actor)),
              given: new Map(delegations.map((d) => [d.from, d.to])),
              asking: new Set(questions.map((q) => q.by)),
            }).toEqual({
              status: book.status,
              votes: book.votes,
              given: book.given,
              asking: book.asking,
            });
            checkVotes(approval);
          }
          reached[book.status] += 1;
        },
      ),
      { numRuns: 800 },
    );
    expect(Math.min(reached.open, reached.approved, reached.rejected)).toBeGreaterThan(0);
    expect([...accepted.keys()].sort()).toEqual(
      ['answer_info', 'approve', 'claim', 'comment', 'delegate', 'edit', 'escalate', 'reject'].concat([
        'release',
        'request_info',
        'reset',
        'withdraw',
      ]),
    );
  });

  test('R25: once it has ended, nothing that anybody sends changes it', () => {
    fc.assert(
      fc.property(
        acts('approve', 'reject'),
        fc.array(
          action.filter((a) => a.act !== 'reset'),
          { minLength: 1, maxLength: 10 },
        ),
        (ending, actions) => {
          const ended = act(openApproval(12_000), { act: ending, who: 'lead', wait: 0 }, 0);
          expect(ended.status).not.toBe('open');
          for (const action of actions) expect(attempt(ended, action, 1)).toBeUndefined();
        },
      ),
    );
  });

  test('R28: whatever is asked, answered and decided, the clock loses and gains nothing but what policy allows', () => {
    const allowedMs = 10 * 3_600_000;
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 16 }), (actions) => {
        const policy = { ...policyOf(90_000), infoPauseHours: 10 };
        const first = openApproval(90_000, { policy });
        let approval = first;
        let minutes = 0;
        for (const action of actions) {
          minutes += action.wait;
          approval = attempt(approval, action, minutes) ?? approval;
          const { pause, deadline } = approval;
          const moved = deadline - first.deadline;
          expect(moved).toBe((pause?.usedMs ?? 0) + (pause?.grantedMs ?? 0));
          expect(moved >= 0 && moved <= allowedMs).toBe(true);
          if ((approval.questions ?? []).length === 0) expect(moved).toBeLessThanOrEqual(minutes * 60_000);
        }
      }),
      { numRuns: 300 },
    );
  });
});

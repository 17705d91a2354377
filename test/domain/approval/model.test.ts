import fc from 'fast-check';
import { newRevision, policyEditor } from '../../../src/domain/approval/decide';
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

type Action =
  | { readonly act: 'approve'; readonly who: Somebody }
  | { readonly act: 'reject'; readonly who: Somebody }
  | { readonly act: 'stale'; readonly who: Somebody }
  | { readonly act: 'late'; readonly who: Somebody }
  | { readonly act: 'edit'; readonly who: Somebody; readonly minor: number }
  | { readonly act: 'reset' }
  | { readonly act: 'escalate' };

const amounts = [4_000, 9_000, 12_000, 60_000, 90_000, 400_000, 600_000, 700_000];
const somebody = fc.constantFrom(...(Object.keys(people) as Somebody[]));
const approvers = fc.constantFrom<Somebody>('ann', 'bob', 'sam', 'lead');

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('approve' as const), who: approvers }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('approve' as const), who: somebody }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant('edit' as const),
      who: approvers,
      minor: fc.constantFrom(...amounts),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('edit' as const),
      who: somebody,
      minor: fc.constantFrom(...amounts),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constantFrom('reject' as const, 'stale', 'late'), who: somebody }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('reset' as const, 'escalate') }) },
);

/**
 * The rules told a second time, as a book-keeper would: he keeps lists as things happen, where the real thing
 * computes from what was proposed.
 */
class Book {
  status: 'open' | 'approved' | 'rejected' = 'open';
  votes = new Set<string>();
  private readonly proposed: { by: string; minor: number }[];
  /** Wrote the revision in force, and did more than lower it. */
  private author: string | undefined;
  private escalated = false;

  constructor(private amount: number) {
    this.proposed = [{ by: 'requester', minor: amount }];
  }

  /** @returns whether the action is accepted */
  take(action: Action): boolean {
    if (action.act === 'escalate') this.escalated = true;
    if (action.act === 'reset') this.votes.clear();
    if (action.act === 'escalate' || action.act === 'reset') return true;
    if (this.status !== 'open' || action.act === 'stale' || action.act === 'late') return false;
    if (!this.isDecider(action.who)) return false;
    const { id } = people[action.who];
    if (action.act === 'reject') {
      this.status = 'rejected';
      return true;
    }
    if (action.act === 'approve') {
      if (id === this.author || !this.withinLimit(action.who) || this.votes.has(id)) return false;
      this.votes.add(id);
    } else {
      if (action.minor === this.amount) return false;
      this.revise(action.who, action.minor);
    }
    if (this.hasQuorum()) this.status = 'approved';
    return true;
  }

  private revise(who: Somebody, minor: number): void {
    const { id } = people[who];
    const lowestOfOthers = Math.min(...this.proposed.filter((p) => p.by !== id).map((p) => p.minor));
    const lowered = minor < this.amount && minor <= lowestOfOthers;
    this.proposed.push({ by: id, minor });
    this.amount = minor;
    this.author = lowered ? undefined : id;
    this.votes = new Set(lowered && this.withinLimit(who) ? [id] : []);
  }

  private isDecider(who: Somebody): boolean {
    if (['ann', 'bob', 'sam', 'lead'].includes(who)) return true;
    return who === 'chief' && this.escalated;
  }

  private withinLimit(who: Somebody): boolean {
    if (who === 'lead' || who === 'chief' || this.amount > 500_000) return true;
    return this.amount <= (who === 'sam' ? 10_000 : 500_000);
  }

  private hasQuorum(): boolean {
    if (this.amount <= 50_000) return this.votes.size >= 1;
    return this.votes.size >= 2 && (this.amount <= 500_000 || this.votes.has('lead'));
  }
}

function act(approval: ApprovalState, action: Action): ApprovalState {
  switch (action.act) {
    case 'escalate':
      return { ...approval, escalatedTo: ['executives'] };
    case 'reset': {
      const { arguments: args, policy, revision } = approval;
      const revised = { arguments: args, policy, proposalHash: hashOf(revision + 1) };
      return newRevision(approval, revised, policyEditor, 'the run was reset');
    }
    case 'edit': {
      const value = `${action.minor / 100}.00`;
      const change = { arguments: { amount: { value, currency: 'USD' } } };
      return conclude(approval, action.who, decision(approval, action.who, 'edit', change));
    }
    case 'stale':
      return conclude(
        approval,
        action.who,
        decision(approval, action.who, 'approve', { proposalHash: hashOf(approval.revision - 1) }),
      );
    case 'late':
      return conclude(
        approval,
        action.who,
        decision(approval, action.who, 'approve', { receivedAt: approval.deadline }),
      );
    case 'approve':
    case 'reject':
      return conclude(approval, action.who, decision(approval, action.who, action.act));
  }
}

/** @returns undefined for a refusal of ours; anything else that is thrown fails the test */
function attempt(approval: ApprovalState, action: Action): ApprovalState | undefined {
  try {
    return act(approval, action);
  } catch (error) {
    if (error instanceof CountersignError) return undefined;
    throw error;
  }
}

/** How often the runs ended in each way, so that a generator that reaches nothing is noticed. */
const reached = { open: 0, approved: 0, rejected: 0 };

describe('an approval that several people work on at once', () => {
  test('R24: it is approved exactly when enough distinct, authorized people agreed to the revision in force', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...amounts),
        fc.array(action, { minLength: 1, maxLength: 14 }),
        (minor, actions) => {
          let approval = openApproval(minor, { policy: policyFor(minor) });
          const book = new Book(minor);
          for (const action of actions) {
            // The run stops asking once it is decided: a reset comes with an approval that is open again.
            if (approval.status !== 'open' && (action.act === 'reset' || action.act === 'escalate')) continue;
            const frozen = JSON.stringify(approval);
            const next = attempt(approval, action);
            expect({ action, accepted: next !== undefined }).toEqual({ action, accepted: book.take(action) });
            expect(JSON.stringify(approval)).toBe(frozen);
            approval = next ?? approval;
            expect({ status: approval.status, votes: new Set(approval.votes.map((v) => v.actor)) }).toEqual({
              status: book.status,
              votes: book.votes,
            });
            expect(approval.votes.every((v) => v.revision === approval.revision)).toBe(true);
            expect(new Set(approval.votes.map((v) => v.actor)).size).toBe(approval.votes.length);
          }
          reached[book.status] += 1;
        },
      ),
      { numRuns: 800 },
    );
    expect(Math.min(reached.open, reached.approved, reached.rejected)).toBeGreaterThan(0);
  });

  test('R25: once it has ended, nothing that anybody sends changes it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('approve' as const, 'reject'),
        fc.array(
          action.filter((a) => a.act !== 'reset' && a.act !== 'escalate'),
          { minLength: 1, maxLength: 10 },
        ),
        (ending, actions) => {
          const ended = act(openApproval(12_000), { act: ending, who: 'lead' });
          expect(ended.status).not.toBe('open');
          for (const action of actions) expect(attempt(ended, action)).toBeUndefined();
        },
      ),
    );
  });
});

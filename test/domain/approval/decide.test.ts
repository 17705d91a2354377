import { close, isQuorum, newRevision, policyEditor, voidVotes } from '../../../src/domain/approval/decide';
import type { ApprovalState } from '../../../src/domain/approval/state';
import { refusalOf } from '../money/arbitraries';
import {
  approves,
  conclude,
  decision,
  edits,
  hashOf,
  openApproval,
  policyFor,
  rejects,
  type Somebody,
} from './approvalFixture';

const voters = ({ votes }: ApprovalState) => votes.map((v) => v.actor);

/** A revision that nobody asked for: the run was reset. */
const reset = (approval: ApprovalState): ApprovalState =>
  newRevision(
    approval,
    {
      arguments: approval.arguments,
      policy: approval.policy,
      proposalHash: hashOf(approval.revision + 1),
    },
    policyEditor,
    'the run was reset',
  );

describe('who may decide', () => {
  test.each<[Somebody, 'approve' | 'edit' | 'reject', string]>([
    ['agent', 'approve', 'forbidden'],
    ['agent', 'reject', 'forbidden'],
    ['service', 'approve', 'forbidden'],
    ['admin', 'approve', 'forbidden'],
    ['admin', 'reject', 'forbidden'],
    ['chief', 'approve', 'forbidden'],
    ['requester', 'approve', 'separation_of_duties'],
    ['requester', 'edit', 'separation_of_duties'],
    ['requester', 'reject', 'separation_of_duties'],
    ['principal', 'approve', 'separation_of_duties'],
    ['sam', 'approve', 'over_limit'],
    ['foreigner', 'approve', 'not_found'],
  ])('R23: %s may not %s a refund of 120.00 (%s)', (who, kind, code) => {
    const approval = openApproval(12_000);
    const edited = kind === 'edit' ? { arguments: { reason: 'goodwill' as const } } : {};
    expect(refusalOf(() => conclude(approval, who, decision(approval, who, kind, edited)))).toBe(code);
  });

  test('R23: limits bind approving alone: someone with a small limit may reject, and lower to his limit', () => {
    expect(rejects(openApproval(12_000), 'sam').status).toBe('rejected');
    expect(edits(openApproval(12_000), 'sam', '100.00')).toMatchObject({
      status: 'approved',
      decidedBy: { actor: 'sam', decision: 'edit' },
    });
    const above = edits(openApproval(12_000), 'sam', '100.01');
    expect([above.status, voters(above)]).toEqual(['open', []]);
  });

  test("R23: beside the finance lead a reviewer's own limit does not bind, and without the lead he is not enough", () => {
    const large = openApproval(600_000);
    for (const order of [['ann', 'lead'] as const, ['lead', 'ann'] as const]) {
      const first = approves(large, order[0]);
      expect(first.status).toBe('open');
      expect(approves(first, order[1]).status).toBe('approved');
    }
    const without = approves(approves(large, 'ann'), 'bob');
    expect([without.status, voters(without)]).toEqual(['open', ['ann', 'bob']]);
    expect(approves(without, 'lead').status).toBe('approved');
  });

  test('R28: escalation adds a group and removes nobody', () => {
    const escalated = openApproval(12_000, { escalatedTo: ['executives'] });
    expect(approves(escalated, 'chief').status).toBe('approved');
    expect(approves(escalated, 'ann').status).toBe('approved');
  });
});

describe('votes', () => {
  test('R24: two votes of one person are one, whatever their ids', () => {
    const once = approves(openApproval(60_000), 'ann');
    expect(once.status).toBe('open');
    expect(refusalOf(() => approves(once, 'ann'))).toBe('already_voted');
    expect(approves(once, 'bob')).toMatchObject({ status: 'approved', decidedBy: { actor: 'bob' } });
  });

  test('R24: a vote that was copied is still one person', () => {
    const once = approves(openApproval(60_000), 'ann');
    expect(isQuorum({ ...once, votes: [...once.votes, ...once.votes] })).toBe(false);
  });

  test('R22: votes for an earlier revision never make a quorum', () => {
    const once = approves(openApproval(60_000), 'ann');
    expect(isQuorum({ ...once, revision: 2, policy: policyFor(12_000) })).toBe(false);
  });

  test('R24: nobody is not a quorum of none', () => {
    const none = openApproval(1_000);
    expect(isQuorum({ ...none, policy: { ...none.policy, needed: 0 } })).toBe(false);
  });

  test('R23: a vote whose giver lost his authority is taken back and the approval opens again', () => {
    const approved = approves(approves(openApproval(60_000), 'ann'), 'bob');
    const reopened = voidVotes(approved, ['ann']);
    expect([reopened.status, voters(reopened), reopened.decidedBy]).toEqual(['open', ['bob'], undefined]);
    expect(approves(reopened, 'lead').status).toBe('approved');
  });
});

describe('edits', () => {
  test('R22: an edit voids earlier votes, keeps id, action, target and deadline, and names who and why', () => {
    const before = approves(openApproval(60_000), 'ann');
    const after = edits(before, 'bob', '700.00');
    expect(after).toMatchObject({
      id: before.id,
      action: before.action,
      target: before.target,
      deadline: before.deadline,
      revision: 2,
      votes: [],
      status: 'open',
      arguments: { amount: { minor: 70_000 } },
      revisionReason: 'edited by bob',
    });
  });

  test('R23: an edit that only lowers is the vote of its editor', () => {
    expect(edits(openApproval(12_000), 'ann', '100.00')).toMatchObject({
      status: 'approved',
      votes: [{ actor: 'ann', revision: 2 }],
    });
    const lowered = edits(openApproval(90_000), 'ann', '600.00');
    expect([lowered.status, voters(lowered)]).toEqual(['open', ['ann']]);
    expect(approves(lowered, 'bob').status).toBe('approved');
  });

  test('R23: whoever raised the amount, or changed only the reason, may not approve it', () => {
    const raised = edits(openApproval(12_000), 'ann', '130.00');
    expect(refusalOf(() => approves(raised, 'ann'))).toBe('separation_of_duties');
    expect(approves(raised, 'bob').status).toBe('approved');

    const start = openApproval(12_000);
    const renamed = conclude(
      start,
      'ann',
      decision(start, 'ann', 'edit', { arguments: { reason: 'goodwill' } }),
    );
    expect(refusalOf(() => approves(renamed, 'ann'))).toBe('separation_of_duties');
  });

  test('R23: raising and then lowering does not buy a vote', () => {
    const twice = edits(edits(openApproval(12_000), 'ann', '400.00'), 'ann', '130.00');
    expect([twice.status, voters(twice)]).toEqual(['open', []]);
    expect(refusalOf(() => approves(twice, 'ann'))).toBe('separation_of_duties');
    expect(edits(twice, 'ann', '120.00').status).toBe('approved');
  });

  test('R23: somebody else who proposed more does not lower what counts as lowering', () => {
    const other = edits(openApproval(12_000), 'bob', '100.00');
    expect(other.status).toBe('approved');
    const raisedByTwo = edits(edits(openApproval(12_000), 'bob', '400.00'), 'ann', '300.00');
    expect([raisedByTwo.status, voters(raisedByTwo)]).toEqual(['open', []]);
  });

  test('R23: a revision that no person asked for does not free the editor of the raised amount to approve it', () => {
    const again = reset(edits(openApproval(12_000), 'ann', '130.00'));
    expect(refusalOf(() => approves(again, 'ann'))).toBe('separation_of_duties');
    expect(refusalOf(() => approves(reset(again), 'ann'))).toBe('separation_of_duties');
    expect(approves(again, 'bob').status).toBe('approved');
  });

  test('R27: after a reset whoever had lowered the amount votes anew, and for the amount as proposed anybody does', () => {
    const lowered = reset(edits(openApproval(90_000), 'ann', '600.00'));
    expect(voters(lowered)).toEqual([]);
    expect(voters(approves(lowered, 'ann'))).toEqual(['ann']);

    const raised = edits(openApproval(12_000), 'ann', '130.00');
    const { arguments: proposed } = openApproval(12_000);
    const back = newRevision(
      raised,
      { arguments: proposed, policy: policyFor(12_000), proposalHash: hashOf(3) },
      policyEditor,
      'the run was reset',
    );
    expect(approves(back, 'ann').status).toBe('approved');
  });
});

describe('what no decision may meet', () => {
  const open = openApproval(12_000);
  const received = (receivedAt: number) => decision(open, 'ann', 'approve', { receivedAt });

  test('R21: another revision is refused, and the refusal says what is in force', () => {
    const stale = { ...decision(open, 'ann', 'approve'), proposalHash: hashOf(7) };
    expect(refusalOf(() => conclude(open, 'ann', stale))).toBe('decision_stale');
    expect(() => conclude(open, 'ann', stale)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ currentRevision: 1, currentHash: hashOf(1) }),
      }),
    );
  });

  test('R21: a revision that does not fit the hash is refused, not overlooked', () => {
    const contradictory = decision(open, 'ann', 'approve', { revision: 2 });
    expect(refusalOf(() => conclude(open, 'ann', contradictory))).toBe('decision_stale');
    expect(conclude(open, 'ann', decision(open, 'ann', 'approve', { revision: 1 })).status).toBe('approved');
  });

  test('R25: received at the deadline is late, one millisecond earlier is not', () => {
    expect(refusalOf(() => conclude(open, 'ann', received(open.deadline)))).toBe('approval_expired');
    expect(conclude(open, 'ann', received(open.deadline - 1)).status).toBe('approved');
  });

  test.each([
    ['approved', approves(open, 'ann'), 'already_decided'],
    ['rejected', rejects(open, 'ann'), 'already_decided'],
    ['cancelled', close(open, 'cancelled', 'service', 1), 'already_decided'],
    ['expired', close(open, 'expired', 'countersign', 1), 'approval_expired'],
  ] as const)(
    'R25: an approval that is %s answers every further decision and stays as it is',
    (status, over, code) => {
      for (const kind of ['approve', 'edit', 'reject'] as const) {
        const more = kind === 'edit' ? { arguments: { reason: 'goodwill' as const } } : {};
        expect(refusalOf(() => conclude(over, 'bob', decision(over, 'bob', kind, more)))).toBe(code);
      }
      expect(over.status).toBe(status);
    },
  );

  test('R25: the answer names who decided and how', () => {
    const over = rejects(open, 'ann');
    expect(() => conclude(over, 'bob', decision(over, 'bob', 'approve'))).toThrow(/rejected already by ann/);
  });

  test('R21: a decision for another approval is unknown here', () => {
    const stray = decision(open, 'ann', 'approve', { approvalId: 'apr_2' });
    expect(refusalOf(() => conclude(open, 'ann', stray))).toBe('not_found');
  });
});

import { CountersignError } from '../errors';
import { compareToMajor } from '../policy/threshold';
import type { DecisionEnvelope } from './decision';
import { delegatorOf, isDelegate } from './delegation';
import type { DecisionKind } from './message';
import type { ApprovalState, Authority, ProposedAmount, RevisedProposal, Vote } from './state';
import { asks, checkAsker, isAsked } from './standing';

/** Who opens a revision that no person asked for: a stricter policy, a reset of the run. */
export const policyEditor = 'countersign';

/**
 * Whether this identity may decide so: separation of duties, role, personal limit. Checked when the decision
 * arrives and again at execution, with roles read afresh (R23). `approve` and `edit` need full authority;
 * limits don't apply to rejecting.
 * @throws CountersignError forbidden, separation_of_duties, over_limit
 */
export function checkAuthority(approval: ApprovalState, who: Authority, decision: DecisionKind): void {
  if (who.tenant !== approval.tenant) throw new CountersignError('not_found');
  if (decision === 'answer_info' || (decision === 'comment' && asks(approval, who))) {
    return checkAsker(approval, who);
  }
  if (who.kind !== 'person') {
    throw new CountersignError('forbidden', 'only a person can decide; an agent or a service proposes');
  }
  // Whoever takes back what he gave needs no authority for that; whether there is anything shows later.
  if (decision === 'withdraw') return;
  if (!isAsked(approval, who) && !isDelegate(approval, who)) {
    throw new CountersignError(
      'forbidden',
      `only members of ${approval.policy.approverGroup} decide on this refund`,
    );
  }
  if (asks(approval, who)) throw new CountersignError('separation_of_duties');
  if (decision !== 'approve') return;
  if (raisedBy(approval) === who.id) {
    throw new CountersignError(
      'separation_of_duties',
      'whoever edited a proposal without lowering it may not approve it; somebody else must',
    );
  }
  checkLimit(approval, who);
}

/** The editor of the revision in force, where his edit did more than lower the amount. */
function raisedBy(approval: ApprovalState): string | undefined {
  const proposals = authored(approval);
  const last = proposals.at(-1);
  if (!last || last.by === approval.requester || last.by === policyEditor) return undefined;
  const others = proposals.filter((p) => p.by !== last.by).map((p) => p.minor);
  const before = proposals.at(-2);
  const lowered = before !== undefined && last.minor < before.minor && last.minor <= Math.min(...others);
  return lowered ? undefined : last.by;
}

/** Without the revisions that only repeat the amount in force: a reset or a stricter policy proposes nothing. */
function authored({ proposals }: ApprovalState): readonly ProposedAmount[] {
  return proposals.filter((p, i) => p.by !== policyEditor || p.minor !== proposals[i - 1]?.minor);
}

function checkLimit(approval: ApprovalState, who: Authority): void {
  if (who.limitMajor === null || approval.policy.oneFrom !== undefined) return;
  const { minor, currency } = approval.arguments.amount;
  if (compareToMajor(minor, currency, who.limitMajor) > 0) {
    throw new CountersignError(
      'over_limit',
      `the amount is above this person's approval limit of ${who.limitMajor} ${currency}`,
    );
  }
}

/** Enough distinct people have said yes to this very revision, one of them from the group that policy names (R24). */
export function isQuorum(approval: ApprovalState): boolean {
  const votes = approval.votes.filter((v) => v.revision === approval.revision);
  const people = new Set(votes.map((v) => v.actor));
  const { needed, oneFrom } = approval.policy;
  return (
    needed >= 1 &&
    people.size >= needed &&
    (oneFrom === undefined || votes.some((v) => v.groups.includes(oneFrom)))
  );
}

export function approve(approval: ApprovalState, decision: DecisionEnvelope, who: Authority): ApprovalState {
  if (approval.votes.some((v) => v.actor === who.id && v.revision === approval.revision)) {
    throw new CountersignError('already_voted');
  }
  return concludeIfQuorum(
    { ...approval, votes: [...approval.votes, voteOf(approval, decision, who)] },
    decision,
    who.id,
  );
}

/** One authorized reject ends the approval. */
export function reject(approval: ApprovalState, decision: DecisionEnvelope, who: Authority): ApprovalState {
  return {
    ...approval,
    status: 'rejected',
    decidedBy: {
      actor: who.id,
      decision: 'reject',
      at: decision.receivedAt,
      ...(decision.reasonCode === undefined ? {} : { reasonCode: decision.reasonCode }),
    },
  };
}

/**
 * An edit opens a new revision and voids earlier votes (R22). It counts as the editor's own vote only when the
 * new amount is at most the lowest that anyone but the editor has proposed, so raising and then lowering
 * doesn't buy a vote, and only within his own limit.
 */
export function edit(
  approval: ApprovalState,
  decision: DecisionEnvelope,
  who: Authority,
  revised: RevisedProposal,
): ApprovalState {
  const { minor } = revised.arguments.amount;
  const others = authored(approval)
    .filter((p) => p.by !== who.id)
    .map((p) => p.minor);
  const lowers = minor < approval.arguments.amount.minor && minor <= Math.min(...others);
  const next = newRevision(approval, revised, who.id, `edited by ${who.id}`);
  if (!lowers || !withinLimit(next, who)) return next;
  return concludeIfQuorum({ ...next, votes: [voteOf(next, decision, who)] }, decision, who.id);
}

/** A new revision for any reason: votes void, the deadline and the id stay. */
export function newRevision(
  approval: ApprovalState,
  revised: RevisedProposal,
  by: string,
  revisionReason: string,
): ApprovalState {
  const revision = approval.revision + 1;
  const { withdrawals: _ofTheLast, ...kept } = approval;
  return {
    ...kept,
    ...revised,
    revision,
    votes: [],
    status: 'open',
    revisionReason,
    proposals: [...approval.proposals, { revision, by, minor: revised.arguments.amount.minor }],
  };
}

/**
 * The run was reset: what people decided before it is inert (R27), so besides the votes nothing that was handed over
 * counts, and nobody is at it. Questions stay: they can still be answered, and move nothing.
 */
export function askAnew(approval: ApprovalState, revised: RevisedProposal): ApprovalState {
  const { decidedBy: _by, delegations: _to, claim: _claim, ...undecided } = approval;
  return newRevision(undecided, revised, policyEditor, 'the run was reset');
}

/** Takes back the votes of people who have lost their authority; the run waits again. */
export function voidVotes(approval: ApprovalState, actors: readonly string[]): ApprovalState {
  const { decidedBy: _gone, ...open } = approval;
  return { ...open, status: 'open', votes: approval.votes.filter((v) => !actors.includes(v.actor)) };
}

export function close(
  approval: ApprovalState,
  status: 'expired' | 'cancelled',
  by: string,
  at: number,
): ApprovalState {
  return { ...approval, status, decidedBy: { actor: by, decision: status, at } };
}

function withinLimit(approval: ApprovalState, who: Authority): boolean {
  try {
    checkLimit(approval, who);
    return true;
  } catch (error) {
    if (error instanceof CountersignError) return false;
    throw error;
  }
}

function voteOf(approval: ApprovalState, decision: DecisionEnvelope, who: Authority): Vote {
  const { decisionId, receivedAt } = decision;
  const onAuthorityOf = isAsked(approval, who) ? undefined : delegatorOf(approval, who.id);
  return {
    actor: who.id,
    decisionId,
    revision: approval.revision,
    groups: who.groups,
    limitMajor: who.limitMajor,
    at: receivedAt,
    ...(onAuthorityOf === undefined ? {} : { onAuthorityOf }),
  };
}

function concludeIfQuorum(approval: ApprovalState, decision: DecisionEnvelope, actor: string): ApprovalState {
  if (!isQuorum(approval)) return approval;
  return {
    ...approval,
    status: 'approved',
    decidedBy: { actor, decision: decision.decision, at: decision.receivedAt },
  };
}

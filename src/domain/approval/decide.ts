import { CountersignError } from '../errors';
import type { Ask } from '../policy/authorization';
import { authored, mayDecide, policyEditor } from './authority';
import type { DecisionEnvelope } from './decision';
import { delegatorOf } from './delegation';
import { isOfMoney, ofMoney } from '../refund/state';
import { amountOf, type ApprovalState, type Authority, type RevisedProposal, type Vote } from './state';
import { isAsked } from './standing';

export { policyEditor };

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
 * doesn't buy a vote, and only where he may approve it. `ask`: under the policy of the new revision.
 */
export function edit(
  approval: ApprovalState,
  decision: DecisionEnvelope,
  who: Authority,
  revised: RevisedProposal,
  ask: Ask,
): ApprovalState {
  const { minor } = ofMoney(revised.arguments).amount;
  const others = authored(approval)
    .filter((p) => p.by !== who.id)
    .map((p) => p.minor);
  const lowers = minor < amountOf(approval).minor && minor <= Math.min(...others);
  const next = newRevision(approval, revised, who.id, `edited by ${who.id}`);
  if (!lowers || !mayDecide(next, who, 'approve', ask)) return next;
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
    proposals: isOfMoney(revised.arguments)
      ? [...approval.proposals, { revision, by, minor: revised.arguments.amount.minor }]
      : approval.proposals,
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

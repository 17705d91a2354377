import { CountersignError } from '../errors';
import { formatAmount } from '../money/decimal';
import type { Ask } from '../policy/authorization';
import { authored, mayDecide } from './authority';
import type { DecisionEnvelope } from './decision';
import type { ApprovalState, Authority, RevisedProposal, Vote } from './state';

export { policyEditor } from './authority';

type Answerable = Pick<DecisionEnvelope, 'approvalId' | 'decision' | 'proposalHash' | 'revision'>;

/**
 * What can be refused without knowing who decides: another approval, a decided or expired one, a stale hash.
 * The update validator, the HTTP door and the workflow's loop all call this. `receivedAt` in ms.
 * @throws CountersignError not_found, already_decided, approval_expired, decision_stale (R21, R25)
 */
export function checkAddressed(
  approval: ApprovalState,
  decision: Answerable,
  receivedAt: number | undefined,
): void {
  if (decision.approvalId !== approval.id) throw new CountersignError('not_found');
  if (approval.status === 'expired') throw expired(approval);
  if (approval.status !== 'open') {
    const { decidedBy } = approval;
    throw new CountersignError(
      'already_decided',
      `this approval was ${approval.status} already${decidedBy ? ` by ${decidedBy.actor}` : ''}`,
      {
        status: approval.status,
        ...(decidedBy ? { decidedBy: decidedBy.actor, decision: decidedBy.decision } : {}),
      },
    );
  }
  if (receivedAt !== undefined && receivedAt >= approval.deadline) throw expired(approval);
  const { proposalHash, revision = approval.revision } = decision;
  if (proposalHash !== approval.proposalHash || revision !== approval.revision) {
    throw new CountersignError(
      'decision_stale',
      'the decision names another revision of the proposal; look at it again',
      {
        currentRevision: approval.revision,
        currentHash: approval.proposalHash,
        arguments: inMajorUnits(approval.arguments),
      },
    );
  }
}

/** As every door shows arguments. */
function inMajorUnits({ amount, reason }: ApprovalState['arguments']) {
  return { amount: { value: formatAmount(amount), currency: amount.currency }, reason };
}

function expired(approval: ApprovalState): CountersignError {
  return new CountersignError('approval_expired', undefined, {
    deadline: new Date(approval.deadline).toISOString(),
  });
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
    { ...approval, votes: [...approval.votes, voteOf(approval.revision, decision, who)] },
    decision,
    who.id,
  );
}

/** One authorized reject ends the approval. */
export function reject(approval: ApprovalState, decision: DecisionEnvelope, who: Authority): ApprovalState {
  return {
    ...approval,
    status: 'rejected',
    decidedBy: { actor: who.id, decision: 'reject', at: decision.receivedAt },
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
  const { minor } = revised.arguments.amount;
  const others = authored(approval)
    .filter((p) => p.by !== who.id)
    .map((p) => p.minor);
  const lowers = minor < approval.arguments.amount.minor && minor <= Math.min(...others);
  const next = newRevision(approval, revised, who.id, `edited by ${who.id}`);
  if (!lowers || !mayDecide(next, who, 'approve', ask)) return next;
  return concludeIfQuorum({ ...next, votes: [voteOf(next.revision, decision, who)] }, decision, who.id);
}

/** A new revision for any reason: votes void, the deadline and the id stay. */
export function newRevision(
  approval: ApprovalState,
  revised: RevisedProposal,
  by: string,
  revisionReason: string,
): ApprovalState {
  const revision = approval.revision + 1;
  return {
    ...approval,
    ...revised,
    revision,
    votes: [],
    status: 'open',
    revisionReason,
    proposals: [...approval.proposals, { revision, by, minor: revised.arguments.amount.minor }],
  };
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

function voteOf(revision: number, decision: DecisionEnvelope, who: Authority): Vote {
  const { decisionId, receivedAt } = decision;
  return {
    actor: who.id,
    decisionId,
    revision,
    groups: who.groups,
    limitMajor: who.limitMajor,
    at: receivedAt,
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

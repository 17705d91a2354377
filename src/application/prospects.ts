import { checkEditable } from '../domain/approval/addressed';
import { checkAuthority, raisedBy } from '../domain/approval/authority';
import { approve, isQuorum } from '../domain/approval/decide';
import { checkKeptHisSay } from '../domain/approval/delegation';
import { checkUnclaimed } from '../domain/approval/handling';
import type { TogetherKind } from '../domain/approval/manyDecisions';
import type { DecisionKind } from '../domain/approval/message';
import { asks, isAsked } from '../domain/approval/standing';
import type { ApprovalState, Authority } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import { askAbout } from '../domain/memory/proposal';
import type { Ask } from '../domain/policy/authorization';
import { compareToMajor } from '../domain/policy/threshold';
import { isOfMoney } from '../domain/refund/state';
import type { StoredApproval } from '../ports/approvals';
import type { Authorization } from '../ports/authorization';
import type { Unit } from '../ports/store';

/** What the rules would answer this person now, without anything being recorded; null where they would let him. */
export function refusalOf(
  approval: ApprovalState,
  who: Authority,
  kind: DecisionKind,
  ask: Ask,
): CountersignError | null {
  return refusalIn(() => {
    checkEditable(approval, kind);
    checkAuthority(approval, who, kind, ask);
    if (kind === 'approve' || kind === 'edit' || kind === 'claim') checkFree(approval, who);
  });
}

function checkFree(approval: ApprovalState, who: Authority): void {
  checkKeptHisSay(approval, who);
  checkUnclaimed(approval, who, Date.now());
}

/** The same of a vote about the whole, which is given once. */
export function refusalOfVote(
  approval: ApprovalState,
  who: Authority,
  kind: TogetherKind,
  ask: Ask,
): CountersignError | null {
  const voted = kind === 'approve' && hasVoted(approval, who);
  return refusalOf(approval, who, kind, ask) ?? (voted ? new CountersignError('already_voted') : null);
}

/**
 * Whether the approval itself gives no reason why this person could not vote: a list asks the policy only about the others
 * of its rows, and about every rule of procedure. What a rule says beside that, he is told before anything is decided.
 */
export function isPlainlyAsked(approval: ApprovalState, who: Authority): boolean {
  if (!isOfMoney(approval.arguments)) return false;
  const { minor, currency } = approval.arguments.amount;
  return (
    isAsked(approval, who) &&
    (who.limitMajor === null || compareToMajor(minor, currency, who.limitMajor) <= 0) &&
    !asks(approval, who) &&
    raisedBy(approval) !== who.id &&
    !hasVoted(approval, who) &&
    refusalIn(() => checkFree(approval, who)) === null
  );
}

/** Under the policy that each approval was opened under, which is read once. */
export function asksUnder(unit: Unit, authorization: Authorization) {
  const known = new Map<string, Ask>();
  return async (stored: StoredApproval): Promise<Ask> => {
    const { policyVersion } = stored.approval.policy;
    const ask = known.get(policyVersion) ?? authorization.under(await unit.policies.published(policyVersion));
    known.set(policyVersion, ask);
    return askAbout(stored, ask);
  };
}

export function hasVoted({ votes, revision }: ApprovalState, { id }: Pick<Authority, 'id'>): boolean {
  return votes.some((vote) => vote.actor === id && vote.revision === revision);
}

/** Whether a yes of this person would be the last that is needed. */
export function wouldComplete(approval: ApprovalState, who: Authority): boolean {
  if (approval.status !== 'open' || hasVoted(approval, who)) return false;
  const decision = {
    tenant: approval.tenant,
    runId: approval.runId,
    approvalId: approval.id,
    decisionId: 'looked-at',
    decision: 'approve' as const,
    proposalHash: approval.proposalHash,
    actor: who.id,
    receivedAt: approval.openedAt,
  };
  return isQuorum(approve(approval, decision, who));
}

/** What a check refuses with; null where it does not. */
export function refusalIn(check: () => void): CountersignError | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof CountersignError) return error;
    throw error;
  }
}

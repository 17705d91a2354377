import { CountersignError } from '../errors';
import { restartClock, stopClock } from './deadline';
import type { DecisionEnvelope } from './decision';
import { takeBack } from './delegation';
import type { ApprovalState, Authority, Claim, OpenQuestion } from './state';

/** What people do about an approval besides voting. Each takes a state and gives the next, or throws the refusal. */

const defaultClaimMinutes = 30;

/** Who is at it at this moment (ms): a claim is over by itself. */
export function claimAt({ claim }: ApprovalState, at: number): Claim | undefined {
  return claim && at < claim.until ? claim : undefined;
}

/**
 * While one person is at it, nobody else approves, edits or claims; rejecting, escalating, asking and commenting stay
 * open to all, and a group that was escalated to is not bound. @throws CountersignError approval_claimed
 */
export function checkUnclaimed(approval: ApprovalState, who: Authority, at: number): void {
  const held = claimAt(approval, at);
  if (!held || held.by === who.id || who.groups.some((g) => approval.escalatedTo.includes(g))) return;
  throw heldBy(held);
}

function heldBy({ by, until: ms }: Claim): CountersignError {
  const until = new Date(ms).toISOString();
  return new CountersignError('approval_claimed', `${by} has claimed this approval until ${until}`, {
    claimedBy: by,
    until,
  });
}

/** Also renews one's own. */
export function claim(approval: ApprovalState, { receivedAt: at }: DecisionEnvelope, who: Authority) {
  const until = at + (approval.policy.claimMinutes ?? defaultClaimMinutes) * 60_000;
  return { ...approval, claim: { by: who.id, at, until } };
}

/** Where nobody holds it any more, there is nothing to do. @throws CountersignError approval_claimed by somebody else */
export function release(approval: ApprovalState, { receivedAt }: DecisionEnvelope, who: Authority) {
  const held = claimAt(approval, receivedAt);
  if (held && held.by !== who.id) throw heldBy(held);
  return withoutClaim(approval);
}

/** Whoever has had his say is not at it any more. */
export function withoutClaimOf(approval: ApprovalState, who: string): ApprovalState {
  return approval.claim?.by === who ? withoutClaim(approval) : approval;
}

function withoutClaim({ claim: _over, ...rest }: ApprovalState): ApprovalState {
  return rest;
}

/** One open question a reviewer. @throws CountersignError info_already_requested */
export function requestInfo(approval: ApprovalState, decision: DecisionEnvelope, who: Authority) {
  const { questions = [] } = approval;
  const mine = questions.find((q) => q.by === who.id);
  if (mine) throw new CountersignError('info_already_requested', undefined, { questionId: mine.id });
  const { decisionId: id, receivedAt: at } = decision;
  return stopClock({ ...approval, questions: [...questions, { id, by: who.id, at }] }, at);
}

/**
 * Answers the question named, or the only one. @throws CountersignError no_open_question; invalid_request where several
 * are open and none is named
 */
export function answerInfo(approval: ApprovalState, decision: DecisionEnvelope): ApprovalState {
  const { questions = [] } = approval;
  const { questionId = questions[0]?.id } = decision;
  const answered = questions.find((q) => q.id === questionId);
  const open = questions.map((q) => q.id);
  if (!answered) throw new CountersignError('no_open_question', undefined, { openQuestions: open });
  if (decision.questionId === undefined && questions.length > 1) {
    throw new CountersignError('invalid_request', 'several questions are open; name one by questionId', {
      openQuestions: open,
    });
  }
  return withQuestions(
    approval,
    questions.filter((q) => q !== answered),
    decision.receivedAt,
  );
}

/** Which questions a decision has answered. */
export function answeredBetween(before: ApprovalState, after: ApprovalState): OpenQuestion[] {
  const open = new Set((after.questions ?? []).map(({ id }) => id));
  return (before.questions ?? []).filter(({ id }) => !open.has(id));
}

/** Who has had his say asks nothing any more. */
export function withoutQuestionOf(approval: ApprovalState, who: string, at: number): ApprovalState {
  const { questions = [] } = approval;
  const others = questions.filter((q) => q.by !== who);
  return others.length === questions.length ? approval : withQuestions(approval, others, at);
}

function withQuestions(
  approval: ApprovalState,
  questions: NonNullable<ApprovalState['questions']>,
  at: number,
): ApprovalState {
  const next = { ...approval, questions };
  return questions.length === 0 ? restartClock(next, at) : next;
}

/** Adds the group that the ladder would add later; nobody is removed. @throws CountersignError already_escalated */
export function escalate(approval: ApprovalState): ApprovalState {
  const group = approval.policy.escalation?.toGroup;
  if (group === undefined || approval.escalatedTo.includes(group)) {
    throw new CountersignError(
      'already_escalated',
      group === undefined ? 'the policy names no group to escalate to' : `${group} has been asked already`,
    );
  }
  return { ...approval, escalatedTo: [...approval.escalatedTo, group] };
}

/** Takes back one's own vote, or what one has handed over. @throws CountersignError nothing_to_withdraw */
export function withdraw(approval: ApprovalState, who: Authority): ApprovalState {
  const { votes, revision, withdrawals = {} } = approval;
  const others = votes.filter((v) => v.actor !== who.id || v.revision !== revision);
  const next = others.length < votes.length ? { ...approval, votes: others } : takeBack(approval, who.id);
  if (!next) throw new CountersignError('nothing_to_withdraw');
  return { ...next, withdrawals: { ...withdrawals, [who.id]: timesWithdrawn(approval, who.id) + 1 } };
}

/** How often he took back his say about this revision: what he says anew is another decision than before. */
export function timesWithdrawn({ withdrawals = {} }: ApprovalState, who: string): number {
  return Object.hasOwn(withdrawals, who) ? (withdrawals[who] ?? 0) : 0;
}

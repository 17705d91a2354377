import type { ApprovalState } from '../domain/approval/state';
import type { StoredDecision } from '../ports/approvals';
import { iso } from './viewParts';

/** Every decision that took effect, with what was said. */
export function timelineOf({ envelope, comment }: StoredDecision) {
  return {
    decisionId: envelope.decisionId,
    decision: envelope.decision,
    actor: envelope.actor,
    at: iso(envelope.receivedAt),
    revision: envelope.revision ?? null,
    comment: comment ?? null,
    reasonCode: envelope.reasonCode ?? null,
    to: envelope.to ?? null,
    questionId: envelope.questionId ?? null,
    evidenceSeen: envelope.evidenceSeen ?? null,
  };
}

/** Questions with their answers. One that is neither open nor answered lapsed: whoever asked has decided, or all is over. */
export function infoRequestsOf(
  { questions = [], status }: ApprovalState,
  decisions: readonly StoredDecision[],
) {
  const answers = new Map(
    decisions
      .filter(({ envelope }) => envelope.decision === 'answer_info')
      .map((decision) => [decision.answer?.details?.['questionId'], decision]),
  );
  return decisions
    .filter(({ envelope }) => envelope.decision === 'request_info')
    .map(({ envelope, comment }) => {
      const answer = answers.get(envelope.decisionId);
      return {
        id: envelope.decisionId,
        by: envelope.actor,
        question: comment ?? '',
        at: iso(envelope.receivedAt),
        open: status === 'open' && questions.some(({ id }) => id === envelope.decisionId),
        answer: answer
          ? { by: answer.envelope.actor, text: answer.comment ?? '', at: iso(answer.envelope.receivedAt) }
          : null,
      };
    });
}

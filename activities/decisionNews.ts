import type { DecisionEnvelope } from '../src/domain/approval/decision';
import { answeredBetween } from '../src/domain/approval/handling';
import type { ApprovalState } from '../src/domain/approval/state';
import type { Notification } from '../src/ports/store';

/**
 * Whom a decision concerns besides whoever took it: a question goes to the requester and the person he asks for, its
 * answer back to the same reviewer, a handed-over say to whoever has it now, an escalation to the group. Ids only; what
 * was said is read where it stands.
 */
export function decisionNews(
  decision: DecisionEnvelope,
  before: ApprovalState,
  after: ApprovalState,
): Notification[] {
  const { runId, id: approvalId } = after;
  const tell = (recipient: string, template: Notification['template'], data: object = {}): Notification => ({
    key: `${runId}:${decision.decision}:${decision.decisionId}:${recipient}`,
    runId,
    recipient,
    template,
    data: { approvalId, by: decision.actor, ...data },
  });
  switch (decision.decision) {
    case 'request_info': {
      const asked = new Set([after.requester, ...(after.onBehalfOf === undefined ? [] : [after.onBehalfOf])]);
      const questionId = decision.decisionId;
      return [...asked].map((recipient) => tell(recipient, 'info_requested', { questionId }));
    }
    case 'answer_info':
      return answeredBetween(before, after).map((q) => tell(q.by, 'info_answered', { questionId: q.id }));
    case 'delegate':
      return decision.to === undefined ? [] : [tell(decision.to, 'approval_delegated')];
    case 'escalate': {
      const added = after.escalatedTo.filter((group) => !before.escalatedTo.includes(group));
      const deadline = new Date(after.deadline).toISOString();
      return added.map((group) => tell(`group:${group}`, 'approval_waiting', { deadline }));
    }
    default:
      return [];
  }
}

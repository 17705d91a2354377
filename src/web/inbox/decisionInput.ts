import { decisionBody, type DecisionBody } from '../../domain/approval/decision';
import { CountersignError } from '../../domain/errors';
import { parseInput } from '../../http/context';
import type { ApprovalReview } from '../../application/reviewApproval';
import type { Typed } from '../context';

/**
 * The decision that a form means, with only the fields that its kind takes: the others stay typed, and unsent.
 * @throws CountersignError invalid_request, which names the field
 */
export function decisionOf(typed: Typed, { approval }: ApprovalReview): DecisionBody {
  const { decision, revision = '' } = typed;
  // Forms end lines as the net does; what is said is the same through every door.
  const comment = (typed['comment'] ?? '').replaceAll('\r\n', '\n');
  if (decision === 'approve') refuseUnsentEdit(typed, approval);
  const seen = (typed['evidenceSeen'] ?? '').split(' ').filter(Boolean);
  return parseInput(decisionBody, {
    decision,
    proposalHash: typed['proposalHash'],
    ...(/^\d{1,9}$/.test(revision) ? { revision: Number(revision) } : {}),
    ...(comment.trim() === '' ? {} : { comment }),
    ...(decision === 'edit' ? { arguments: changesOf(typed, approval) } : {}),
    ...(decision === 'reject' && typed['reasonCode'] ? { reasonCode: typed['reasonCode'] } : {}),
    ...(decision === 'delegate' && typed['to'] ? { to: typed['to'] } : {}),
    ...(decision === 'answer_info' && typed['questionId'] ? { questionId: typed['questionId'] } : {}),
    ...(seen.length > 0 ? { evidenceSeen: seen } : {}),
  });
}

type Shown = Pick<ApprovalReview['approval'], 'arguments'>;

/** What differs from what the form showed, as it was shown: a stale form is told so by its hash. */
export function changesOf(typed: Typed, { arguments: now }: Shown): Record<string, unknown> {
  if (!('amount' in now)) return {};
  const { currency } = now.amount;
  const shown = typed['shownAmount'] ?? now.amount.value;
  const amount = (typed['amount'] ?? shown).trim();
  const reason = typed['reason'] ?? now.reason;
  return {
    ...(amount === shown ? {} : { amount: { value: amount, currency } }),
    ...(reason === (typed['shownReason'] ?? now.reason) ? {} : { reason }),
  };
}

/** Whoever changed the amount and then pressed Approve would pay something else than what he reads. */
function refuseUnsentEdit(typed: Typed, approval: Shown): void {
  if (Object.keys(changesOf(typed, approval)).length === 0) return;
  const message =
    'you changed the proposal; press Change to send that, or put back what was proposed to approve it';
  throw new CountersignError('invalid_request', message, { issues: [{ path: 'arguments', message }] });
}

/** The field of the form that an error is about, by the names that errors use. */
export function fieldOf(error: CountersignError): 'amount' | 'comment' | 'to' | 'reasonCode' | undefined {
  if (/^(amount_|exceeds_|currency_|edit_changes|line_)/.test(error.code)) return 'amount';
  if (error.details['field'] === 'comment') return 'comment';
  const issues = error.details['issues'];
  const path = Array.isArray(issues) ? String((issues[0] as { path?: unknown } | undefined)?.path) : '';
  if (path.startsWith('arguments')) return 'amount';
  return path === 'comment' || path === 'to' || path === 'reasonCode' ? path : undefined;
}

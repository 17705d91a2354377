import type { DecisionKind } from '../domain/approval/message';
import type { RiskMark } from '../domain/approval/risk';
import type { ApprovalStatus, RejectReason } from '../domain/approval/state';
import type { MemorySource } from '../domain/memory/candidate';
import type { Phase } from '../domain/contract';
import type { RefundReason } from '../domain/refund/request';
import type { ReviewAction } from '../domain/refund/review';

/** The words of the system in plain English, for people who read pages. */

export const reasonWords: Readonly<Record<RefundReason, string>> = {
  duplicate: 'Paid twice',
  fraudulent: 'Fraud',
  requested_by_customer: 'Asked for by the customer',
  damaged: 'Arrived damaged',
  not_received: 'Not received',
  not_as_described: 'Not as described',
  goodwill: 'Goodwill',
};

export const rejectWords: Readonly<Record<RejectReason, string>> = {
  not_eligible: 'Not eligible',
  insufficient_evidence: 'Not enough evidence',
  suspected_fraud: 'Suspected fraud',
  wrong_amount: 'Wrong amount',
  duplicate_request: 'Asked for twice',
  other: 'Another reason',
};

/** Short for the list, and what it means. */
export const riskWords: Readonly<Record<RiskMark, readonly [mark: string, means: string]>> = {
  aggregate: ['Several together', 'Counts together with other recent refunds of this payment or customer.'],
  daily_cap: ['Daily cap', 'The daily cap of automatic refunds is reached.'],
  senior_only: ['Senior vote', 'Somebody from a senior group must be among those who agree.'],
  edited_up: ['Raised', 'An edit raised the amount above what was asked for.'],
  disputed: ['Disputed', 'The payment was under dispute when this was opened.'],
  on_behalf: ['For another', 'Somebody asks in the name of a person.'],
};

export const statusWords: Readonly<Record<ApprovalStatus, string>> = {
  open: 'Waiting',
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
};

/** What somebody has done. */
export const doneWords: Readonly<Record<DecisionKind, string>> = {
  approve: 'approved',
  edit: 'edited',
  reject: 'rejected',
  request_info: 'asked a question',
  answer_info: 'answered',
  escalate: 'escalated',
  delegate: 'handed the say over',
  claim: 'claimed it',
  release: 'released it',
  withdraw: 'took the vote back',
  comment: 'commented',
};

export const sourceWords: Readonly<Record<MemorySource, string>> = {
  user_explicit: 'You said so',
  inferred: 'Concluded from what happened',
  tool: 'A tool told',
  document: 'Read in a document',
  operator: 'Entered by an operator',
};

/** A name of ours such as `decision_received`, where it has no words of its own. */
export function spaced(name: string): string {
  const words = name
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What an error says, as a sentence of its own. */
export function sentence(said: string): string {
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.!?]$/.test(said) ? '' : '.'}`;
}

export const phaseWords: Readonly<Record<Phase, string>> = {
  validating: 'Being checked',
  waiting_approval: 'Waits for people',
  executing: 'Being sent',
  settling: 'Waits for the provider',
  needs_review: 'Needs a review',
  completed: 'Completed',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

/** What a person can do about a run in review: its name, and what comes of it. */
export const reviewWords: Readonly<Record<ReviewAction, readonly [does: string, means: string]>> = {
  retry: [
    'Try again',
    'It is looked up at the provider first. Sent again is only what the provider provably has not done, so nothing is paid twice.',
  ],
  resolve_paid: [
    'Resolve as paid',
    'The refund that you name is checked at the provider: it must be of this payment and amount and pay no other run. It then counts as what paid this run, and no other money moves.',
  ],
  fail: [
    'Let it fail',
    'The run ends as failed and what it holds of the payment is free again, once the provider confirms that nothing was paid. Whoever asked is told.',
  ],
};

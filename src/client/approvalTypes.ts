import type { DecisionBody } from '../domain/approval/decision';
import type { RiskMark } from '../domain/approval/risk';
import type { RejectReason } from '../domain/approval/state';
import type { RefundReason } from '../domain/refund/request';
import type { Amount, BrakeHold, OrderLines, RefundArguments } from './types';

export type Decision = DecisionBody;
export type { RejectReason };

export type ApprovalStatus = 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';

export interface Approval extends OrderLines {
  readonly id: string;
  readonly runId: string;
  readonly action: 'issue_refund' | 'issue_refund_batch';
  /** The payment. */
  readonly target: string;
  readonly arguments: RefundArguments;
  /** Starts at 1; every edit makes a new one, with another hash and no votes. */
  readonly revision: number;
  readonly revisionReason: string | null;
  /** Names exactly this revision; a decision repeats it. */
  readonly proposalHash: string;
  readonly reason: RefundReason;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly policy: {
    readonly version: string;
    readonly ruleIds: readonly string[];
    readonly explanation: string;
    /** What this refund and the recent ones on the payment or customer come to. */
    readonly aggregate: Amount;
    readonly approverGroup: string;
    readonly oneFrom: string | null;
    readonly escalatedTo: readonly string[];
  };
  readonly votes: readonly ApprovalVote[];
  /** The whole number of votes, not what is still missing. */
  readonly needed: number;
  /** Who is at it; over by itself at `until`. */
  readonly claim: { readonly by: string; readonly at: string; readonly until: string } | null;
  /** Who has handed his say over to whom, now. */
  readonly delegations: readonly { readonly from: string; readonly to: string; readonly at: string }[];
  readonly infoRequests: readonly InfoRequest[];
  readonly openedAt: string;
  readonly deadline: string;
  readonly clock: {
    /** A question stops the clock; the deadline is the latest that it can be. */
    readonly pausedSince: string | null;
    /** The deadline before it was extended after an outage. */
    readonly extendedFrom: string | null;
  };
  readonly evidence: readonly EvidenceItem[];
  readonly facts: { readonly risk: RefundPast | null; readonly [fact: string]: unknown };
  /** What a reviewer should stop at. */
  readonly risk: readonly RiskMark[];
  /** The kill switch, while it is pulled: no money moves until it is released. */
  readonly brake: BrakeHold | null;
  /** Every decision that took effect, with what was said. */
  readonly timeline: readonly TakenDecision[];
  readonly status: ApprovalStatus;
  readonly decidedBy: {
    readonly actor: string;
    readonly decision: string;
    readonly at: string;
    readonly reasonCode: RejectReason | null;
  } | null;
}

/** What there was besides this refund when its revision was opened; `null` is not known. */
export interface RefundPast {
  readonly payment: {
    readonly refunds: number;
    readonly refunded: Amount;
    readonly rejections: number;
    readonly ageHours: number;
    readonly disputed: Amount;
  };
  readonly customer: {
    readonly refunds: number;
    readonly refunded: Amount;
    readonly lastHour: number;
    readonly lastDay: number;
    readonly last30Days: number;
    readonly rejections: number;
  } | null;
  /** The money goes to another method than it came from. */
  readonly toOtherMethod: boolean | null;
}

export interface ApprovalVote {
  readonly actor: string;
  readonly decisionId: string;
  readonly at: string;
  /** The approver whose say it is, where the voter has none of his own. */
  readonly onAuthorityOf: string | null;
}

export interface InfoRequest {
  /** What an answer names as `questionId`. */
  readonly id: string;
  readonly by: string;
  readonly question: string;
  readonly at: string;
  readonly open: boolean;
  readonly answer: { readonly by: string; readonly text: string; readonly at: string } | null;
}

export interface EvidenceItem {
  /** What a decision names in `evidenceSeen`. */
  readonly id: string;
  readonly label: string;
  readonly url: string | null;
  readonly text: string | null;
}

export interface TakenDecision {
  readonly decisionId: string;
  readonly decision: Decision['decision'];
  readonly actor: string;
  readonly at: string;
  readonly revision: number | null;
  readonly comment: string | null;
  readonly reasonCode: RejectReason | null;
  readonly to: string | null;
  readonly questionId: string | null;
  readonly evidenceSeen: readonly string[] | null;
}

export interface InboxDifference {
  /**
   * `differs`: the row is not what the workflow has. `missing_row`: it waits and the inbox does not show it.
   * `row_without_run`: shown open, and the run has ended or is gone. `unanswered`: no worker says what the run has.
   */
  readonly kind: 'differs' | 'missing_row' | 'row_without_run' | 'unanswered';
  readonly runId: string;
  readonly approvalId: string | null;
  /** Which parts of the approval differ. */
  readonly fields: readonly string[];
  readonly explanation: string;
  readonly repaired: boolean;
}

export interface CheckedPage {
  /** Approvals compared. */
  readonly checked: number;
  readonly differences: readonly InboxDifference[];
  readonly nextCursor: string | null;
}

/** The whole inbox; `ok` when nothing differs any more. */
export interface InboxCheck {
  readonly checked: number;
  readonly differences: readonly InboxDifference[];
  readonly ok: boolean;
}

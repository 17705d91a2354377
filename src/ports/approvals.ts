import type { ApprovalState } from '../domain/approval/state';
import type { DecisionEnvelope } from '../domain/approval/decision';
import type { RiskMark } from '../domain/approval/risk';
import type { DecisionAnswer } from '../domain/approval/message';
import type { RiskFacts } from '../domain/risk/facts';
import type { ApprovedArguments } from '../domain/refund/state';
import type { ReviewedCandidate } from './memoryReviews';

export interface StoredApproval {
  readonly approval: ApprovalState;
  /** The execution that the votes are bound to; changes when a run is reset (R27). */
  readonly epoch: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly risk: readonly RiskMark[];
  /** Of a rule of procedure, while there is one: what would be remembered. */
  readonly candidate?: ReviewedCandidate;
}

export interface ApprovalRevision {
  readonly revision: number;
  readonly proposalHash: string;
  readonly arguments: ApprovedArguments;
  readonly proposedBy: string;
  /** What was known of the refund's past when it was opened; null before there were such facts. */
  readonly risk: RiskFacts | null;
}

/** The inbox: approvals and their revisions, as the workflow's activities write them. */
export interface Approvals {
  find(approvalId: string): Promise<StoredApproval | undefined>;
  ofRun(runId: string): Promise<StoredApproval | undefined>;
  /** Reads for a change: nobody else changes it before this transaction ends. */
  lock(approvalId: string): Promise<StoredApproval | undefined>;
  save(approval: ApprovalState, epoch: string, facts?: Readonly<Record<string, unknown>>): Promise<void>;
  revisions(approvalId: string): Promise<ApprovalRevision[]>;
}

export interface StoredDecision {
  readonly envelope: DecisionEnvelope;
  readonly content: string;
  readonly channel: string;
  /** `signed`: a proof was given out and its comment kept; nobody has sent it yet. */
  readonly status: 'signed' | 'recorded' | 'applied' | 'refused' | 'voided';
  readonly answer: DecisionAnswer | null;
  readonly epoch: string | null;
  readonly comment?: string;
}

export type NewDecision = Pick<StoredDecision, 'envelope' | 'content' | 'channel'>;

export interface Decisions {
  find(approvalId: string, decisionId: string): Promise<StoredDecision | undefined>;
  /** On record and not answered yet, by when they were received. */
  unanswered(approvalId: string): Promise<StoredDecision[]>;
  /** Those that took effect on these approvals, in the order in which they were received. */
  appliedTo(approvalIds: readonly string[]): Promise<StoredDecision[]>;
  /** `false`: that decisionId is on record already, other than as the same one, signed or voided. */
  record(decision: NewDecision, comment?: string): Promise<boolean>;
  /** Keeps the comment of a decision that is given out signed. `false`: that decisionId is on record already. */
  keepSigned(decision: NewDecision, comment: string): Promise<boolean>;
  /** Takes back a vote whose giver lost his authority; the same decision may then be sent again. */
  void(approvalId: string, decisionId: string): Promise<void>;
  answer(approvalId: string, decisionId: string, answer: DecisionAnswer, epoch: string | null): Promise<void>;
  /** What one execution has answered counts as answered by the one that goes on from it (R35). */
  takeOver(approvalId: string, from: string, epoch: string): Promise<void>;
}

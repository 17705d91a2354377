import type { Money } from '../money/money';
import type { PolicyDecision } from '../policy/evaluate';
import type { RiskFacts } from '../risk/facts';
import { ofMoney, type ApprovedAction, type ApprovedArguments } from '../refund/state';

/** Why somebody rejects, where he says so in a word that can be counted. */
export const rejectReasons = [
  'not_eligible',
  'insufficient_evidence',
  'suspected_fraud',
  'wrong_amount',
  'duplicate_request',
  'other',
] as const;
export type RejectReason = (typeof rejectReasons)[number];

export const approvalStatuses = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** One person's yes to one revision. `limitMajor` (major units, null: none) and `groups` as they were then. */
export interface Vote {
  readonly actor: string;
  readonly decisionId: string;
  readonly revision: number;
  readonly groups: readonly string[];
  readonly limitMajor: string | null;
  /** ms since the epoch, when the decision was received. */
  readonly at: number;
  /** The approver who handed his say over, where the voter has none by a group of his own. */
  readonly onAuthorityOf?: string;
}

/** A question that nobody has answered; its text is with the decision of that id. Times in ms since the epoch. */
export interface OpenQuestion {
  readonly id: string;
  readonly by: string;
  readonly at: number;
}

/** `from` has handed his say over to `to`, until he takes it back. Where `to` hands it on, that makes a chain. */
export interface Delegation {
  readonly decisionId: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
}

/** Somebody is at it. Over by itself at `until`, ms since the epoch, compared with when a decision was received. */
export interface Claim {
  readonly by: string;
  readonly at: number;
  readonly until: number;
}

/**
 * How long questions have stopped the clock, ms. While they do, `since` is when that began, and `grantedMs`, all that
 * policy allows, is in the deadline already; the answer takes back what was not used.
 */
export interface Pause {
  readonly usedMs: number;
  readonly since?: number;
  readonly grantedMs?: number;
}

/** Who proposed which amount: decides whether an edit only lowers. Revision 1 is the requester's. */
export interface ProposedAmount {
  readonly revision: number;
  readonly by: string;
  readonly minor: number;
}

/** One approval over all its revisions; plain data, carried by the workflow and stored by its activities. */
export interface ApprovalState {
  readonly id: string;
  readonly tenant: string;
  readonly runId: string;
  readonly action: ApprovedAction;
  /** The payment; of a batch, the batch; of a rule of procedure, the candidate. */
  readonly target: string;
  readonly revision: number;
  /** Names exactly this revision; computed where crypto exists (activities/proposalHash.ts). */
  readonly proposalHash: string;
  readonly arguments: ApprovedArguments;
  /**
   * Over the run's lines, which no edit changes; absent where it names none. Of a batch, the hash of its manifest; of a
   * rule of procedure, that of everything that would be remembered.
   */
  readonly linesHash?: string;
  readonly status: ApprovalStatus;
  readonly requester: string;
  readonly onBehalfOf?: string;
  readonly policy: PolicyDecision;
  readonly votes: readonly Vote[];
  readonly proposals: readonly ProposedAmount[];
  /** ms since the epoch, workflow time. A revision does not restart it. */
  readonly openedAt: number;
  readonly deadline: number;
  /** Groups added by escalation; nobody is removed. */
  readonly escalatedTo: readonly string[];
  readonly decidedBy?: {
    readonly actor: string;
    readonly decision: string;
    readonly at: number;
    readonly reasonCode?: RejectReason;
  };
  /** Why this revision exists, when it is not the first. */
  readonly revisionReason?: string;
  // What follows is absent in approvals of 0.1, and until it happens.
  /** The refund's past as it was when this revision was opened, or votes were last looked at again. */
  readonly risk?: RiskFacts;
  /** For whom services and agents have answered beside `onBehalfOf`: they count as asking too. */
  readonly alsoFor?: readonly string[];
  readonly questions?: readonly OpenQuestion[];
  readonly delegations?: readonly Delegation[];
  readonly claim?: Claim;
  readonly pause?: Pause;
  /** How often each person has taken back his say about this revision. */
  readonly withdrawals?: Readonly<Record<string, number>>;
  /** The deadline before it was extended after an outage, which happens once, and when that was. */
  readonly grace?: { readonly before: number; readonly at: number };
}

export interface Authority {
  readonly tenant: string;
  readonly id: string;
  readonly kind: 'person' | 'service' | 'agent';
  readonly groups: readonly string[];
  /** Major units of the refund's currency; null is no limit. */
  readonly limitMajor: string | null;
}

export interface RevisedProposal {
  readonly arguments: ApprovedArguments;
  readonly policy: PolicyDecision;
  readonly proposalHash: string;
  /** Absent: as the revision before has it. */
  readonly risk?: RiskFacts;
}

export function amountOf(approval: ApprovalState): Money {
  return ofMoney(approval.arguments).amount;
}

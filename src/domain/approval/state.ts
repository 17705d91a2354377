import type { Money } from '../money/money';
import type { PolicyDecision } from '../policy/evaluate';
import type { refundAction, RefundArguments } from '../refund/state';

export type ApprovalStatus = 'open' | 'approved' | 'rejected' | 'expired' | 'cancelled';

/** One person's yes to one revision. `limitMajor` (major units, null: none) and `groups` as they were then. */
export interface Vote {
  readonly actor: string;
  readonly decisionId: string;
  readonly revision: number;
  readonly groups: readonly string[];
  readonly limitMajor: string | null;
  /** ms since the epoch, when the decision was received. */
  readonly at: number;
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
  readonly action: typeof refundAction;
  /** The payment. */
  readonly target: string;
  readonly revision: number;
  /** Names exactly this revision; computed where crypto exists (activities/proposalHash.ts). */
  readonly proposalHash: string;
  readonly arguments: RefundArguments;
  /** Over the run's lines, which no edit changes; absent where it names none. */
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
  readonly decidedBy?: { readonly actor: string; readonly decision: string; readonly at: number };
  /** Why this revision exists, when it is not the first. */
  readonly revisionReason?: string;
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
  readonly arguments: RefundArguments;
  readonly policy: PolicyDecision;
  readonly proposalHash: string;
}

export function amountOf(approval: ApprovalState): Money {
  return approval.arguments.amount;
}

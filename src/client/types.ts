import type { RiskMark } from '../domain/approval/risk';
import type { Phase } from '../domain/contract';
import type { RefundBody, RefundReason } from '../domain/refund/request';
import type { Allocation, SplitInput, SplitState } from '../domain/refund/split';
import type { ReviewAction, ReviewBody } from '../domain/refund/review';

import type { Approval } from './approvalTypes';

/** What the API takes and answers. Amounts are decimal strings in major units; times are ISO 8601 in UTC. */
export type RefundRequest = RefundBody;
export type Review = ReviewBody;
export type { Phase, RefundReason, ReviewAction, RiskMark };

export interface Amount {
  /** Major units, for example "49.00". */
  readonly value: string;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

export interface RefundArguments {
  readonly amount: Amount;
  readonly reason: RefundReason;
}

/** What a refund gives back of its order. */
export interface OrderLines {
  readonly lines: readonly {
    readonly lineId: string;
    readonly quantity: number;
    /** The line as it was bought: all its units, and what they cost together. */
    readonly of: { readonly quantity: number; readonly amount: Amount };
    /** The exact share of these units. */
    readonly amount: Amount;
  }[];
  readonly shipping: { readonly of: Amount; readonly amount: Amount } | null;
}

export interface RefundLinks {
  readonly self: string;
  readonly timeline: string;
  readonly events: string;
  readonly cancel: string;
  readonly review: string;
}

/** The answer to a request that was taken in. */
export interface AcceptedRefund {
  readonly runId: string;
  readonly phase: Phase;
  readonly links: RefundLinks;
}

export interface Refund extends AcceptedRefund, OrderLines {
  readonly action: 'issue_refund';
  readonly paymentId: string;
  /** What holds now. What was asked for, approved and done is kept apart below. */
  readonly arguments: RefundArguments;
  readonly proposed: RefundArguments;
  readonly approved: RefundArguments | null;
  readonly executed: RefundArguments | null;
  readonly result: {
    readonly outcome: string;
    /** The provider's own id, `re_…`. */
    readonly refundId: string | null;
    readonly amount: Amount | null;
    readonly code: string | null;
    readonly detail: string | null;
  } | null;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly customerId: string | null;
  readonly orderId: string | null;
  readonly threadId: string | null;
  /** The refund of an order that it is a part of, `spl_…`. */
  readonly splitId: string | null;
  readonly note: string | null;
  /** Why it waits for a person; only in phase `needs_review`. */
  readonly review: {
    readonly code: string;
    readonly detail: string;
    readonly since: string;
    /** Counts the reviews, from 1. */
    readonly round: number;
    readonly tried: readonly string[];
    readonly actions: readonly ReviewAction[];
  } | null;
  readonly approval: {
    readonly id: string;
    readonly status: string;
    readonly revision: number;
    readonly deadline: string;
  } | null;
  /** The kill switch, while it is pulled and money has not moved: nothing does until it is released. */
  readonly brake: BrakeHold | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type SplitRequest = SplitInput;

/** A refund of an order over several of its payments: one refund for each payment that bears a part. */
export interface SplitRefund {
  readonly splitId: string;
  readonly state: SplitState;
  readonly orderId: string;
  readonly amount: Amount;
  /** What has gone back so far. */
  readonly refunded: Amount;
  readonly reason: RefundReason;
  readonly allocation: Allocation;
  readonly requester: string;
  readonly refunds: readonly (AcceptedRefund & { readonly paymentId: string; readonly amount: Amount })[];
  readonly createdAt: string;
  readonly links: { readonly self: string };
}

/** On record and not lost, but no worker is up to apply it yet. */
export interface RecordedDecision {
  readonly status: 'recorded';
  readonly decisionId: string;
}

export type * from './approvalTypes';

export type DecisionOutcome = { readonly status: 'applied'; readonly approval: Approval } | RecordedDecision;

/** A decision for tools that can only signal a workflow. */
export interface SignedDecision {
  /** Compact JWS. */
  readonly jws: string;
  readonly workflowId: string;
  readonly signal: string;
}

/** One row of the audit log. */
export interface TimelineEntry {
  /** Counts up within the run; also the id of the live event. */
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  /** The human for whom a service or an agent did it. */
  readonly onBehalfOf: string | null;
  readonly event: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
  readonly policyVersion: string | null;
  readonly effectKey: string | null;
  readonly providerId: string | null;
  readonly hash: string;
}

/** `nextCursor` is null on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export interface Health {
  readonly status: 'ok';
  readonly version: string;
}

export interface Readiness {
  readonly status: 'ok' | 'unavailable';
  /** What each thing that the API needs answers: `ok`, or what is wrong. */
  readonly checks: Readonly<Record<string, string>>;
}

export interface BrakeHold {
  /** A tenant, or `*` for all of them. */
  readonly scope: string;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
}

export interface BrakeState {
  /** What holds the tenant's refunds back now. */
  readonly engaged: BrakeHold | null;
  /** Newest first. */
  readonly history: readonly (BrakeHold & { readonly engaged: boolean })[];
}

/** A row of the audit log with all that its hash covers. */
export interface AuditRow extends TimelineEntry {
  readonly tenant: string;
  readonly runId: string;
  /** The moment as it is hashed: seconds since 1970, six decimals. */
  readonly epoch: string;
  /** The step that wrote it; the same step twice writes one row. */
  readonly step: string;
  readonly prevHash: string;
}

/** A compact JWS over the ends of every chain that grew since the anchor before. */
export interface AuditAnchor {
  readonly seq: number;
  readonly jws: string;
  readonly heads: readonly { readonly runId: string; readonly seq: number; readonly hash: string }[];
}

/** An Ed25519 public key, as a JWK has it. */
export interface AuditKey {
  readonly kid: string;
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
}

/** How much waits, counted up to `countedTo`. */
export interface ApprovalCounts {
  readonly countedTo: number;
  readonly open: number;
  readonly claimedByMe: number;
  readonly dueWithin24h: number;
  readonly byGroup: Readonly<Record<string, number>>;
}

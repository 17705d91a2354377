import type { BodyOf, Schemas } from './schemas';

/** What the API takes and answers. Amounts are decimal strings in major units; times are ISO 8601 in UTC. */
export type RefundRequest = BodyOf<'startRefund'>;
export type Review = BodyOf<'reviewRefund'>;
export type SplitRequest = BodyOf<'splitRefund'>;

export type Amount = Schemas['Amount'];
export type RefundArguments = Schemas['RefundArguments'];
export type RefundReason = RefundArguments['reason'];
/** The answer to a request that was taken in. */
export type AcceptedRefund = Schemas['AcceptedRefund'];
export type Phase = AcceptedRefund['phase'];
export type RefundLinks = AcceptedRefund['links'];
export type Refund = Schemas['Refund'];
/** What a refund gives back of its order. */
export type OrderLines = Pick<Refund, 'lines' | 'shipping'>;
export type ReviewAction = NonNullable<Refund['review']>['actions'][number];
/** A refund of an order over several of its payments: one refund for each payment that bears a part. */
export type SplitRefund = Schemas['SplitRefund'];
/** One row of the audit log; `seq` is also the id of the live event. */
export type TimelineEntry = Schemas['Timeline']['items'][number];

export type * from './approvalTypes';
/** What a reviewer should stop at. */
export type RiskMark = Schemas['Approval']['risk'][number];

/** `nextCursor` is null on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

export type Health = Schemas['Health'];
/** What each thing that the API needs answers: `ok`, or what is wrong. */
export type Readiness = Schemas['Readiness'];

/** What holds the tenant's refunds back now, and the history, newest first. */
export type BrakeState = Schemas['Brake'];
export type BrakeHold = NonNullable<BrakeState['engaged']>;

/** A row of the audit log with all that its hash covers. */
export type AuditRow = Schemas['AuditRow'];
/** A compact JWS over the ends of every chain that grew since the anchor before. */
export type AuditAnchor = Schemas['AuditAnchor'];
/** An Ed25519 public key, as a JWK has it. */
export type AuditKey = Schemas['AuditKeys']['keys'][number];

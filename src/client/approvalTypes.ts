import type { BodyOf, Schemas } from './schemas';

export type Decision = BodyOf<'decide'>;
/** What every decision names; `proposalHash` is that of the revision which was looked at. */
export type Naming = Pick<
  Decision,
  'proposalHash' | 'revision' | 'policyVersion' | 'comment' | 'decisionId' | 'evidenceSeen'
>;
/** A decision that is nothing without its text. */
export type Saying = Naming & { readonly comment: string };
export type Approval = Schemas['Approval'];
export type ApprovalStatus = Approval['status'];
export type ApprovalVote = Approval['votes'][number];
export type InfoRequest = Approval['infoRequests'][number];
export type EvidenceItem = Approval['evidence'][number];
/** A decision that took effect, with what was said. */
export type TakenDecision = Approval['timeline'][number];
/** Why an approval was rejected. */
export type RejectReason = NonNullable<TakenDecision['reasonCode']>;
/** What there was besides this refund when its revision was opened; `null` is not known. */
export type RefundPast = Schemas['RefundPast'];
/** On record and not lost, but no worker is up to apply it yet. */
export type RecordedDecision = Schemas['RecordedDecision'];
export type DecisionOutcome = { readonly status: 'applied'; readonly approval: Approval } | RecordedDecision;
/** One decision about many approvals. */
export type ManyDecisions = BodyOf<'decideMany'>;
export type TogetherOutcome = Schemas['TogetherOutcome'];
/** A decision for tools that can only signal a workflow. */
export type SignedDecision = Schemas['SignedDecision'];
/** How much waits, counted up to `countedTo`. */
export type ApprovalCounts = Schemas['ApprovalCounts'];
export type ApprovalDay = Schemas['ApprovalDay'];

/** One page of the inbox, compared with what the workflows have. */
export type CheckedPage = Schemas['InboxCheck'];
export type InboxDifference = CheckedPage['differences'][number];

/** The whole inbox; `ok` when nothing differs any more. */
export interface InboxCheck {
  readonly checked: number;
  readonly differences: readonly InboxDifference[];
  readonly ok: boolean;
}

import type { ForkBody } from '../domain/past/fork';
import type { ApprovalStatus, Amount, Phase, RefundReason } from './types';

/** The number of an event, or a moment as ISO 8601 with a time zone. */
export type PastPoint = number | string;

export interface PastChange {
  /** Which member of the state, such as `approval.votes`. */
  readonly what: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Happened {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly event: string;
}

/** What a run was after one event of its audit log. Null: not so far, or not written down by that release. */
export interface PastState extends Happened {
  readonly state: {
    readonly phase: Phase;
    readonly paymentId: string | null;
    readonly amount: Amount | null;
    /** Who has proposed that amount, by asking or by an edit. */
    readonly amountBy: string | null;
    readonly reason: RefundReason | null;
    readonly money: 'none' | 'reserved' | 'unknown' | 'paid' | 'freed';
    readonly approval: {
      readonly revision: number;
      readonly status: ApprovalStatus;
      readonly votes: readonly string[] | null;
      readonly needed: number | null;
      readonly deadline: string | null;
      readonly escalatedTo: readonly string[];
    } | null;
    readonly policyVersion: string | null;
    readonly effectKey: string | null;
    readonly refundId: string | null;
    /** Why it waited for a person to look. */
    readonly review: string | null;
    /** Why it ended otherwise than by paying. */
    readonly code: string | null;
  };
  /** What this event changed. */
  readonly changes: readonly PastChange[];
}

export interface PastDifference {
  readonly runId: string;
  readonly from: Happened;
  readonly to: Happened;
  readonly changes: readonly PastChange[];
}

/** What is to be otherwise than in the run that is forked; `null` leaves out what that one had. */
export type ForkRequest = ForkBody;

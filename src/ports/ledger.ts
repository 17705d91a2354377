import type { Aggregates } from '../domain/policy/evaluate';
import type { ErrorCode } from '../domain/errors';
import type { ProviderPayment, ProviderRefund } from './payments';

/** One payment's money, minor units. `remaining` is what may still be admitted. */
export interface Balance {
  readonly account: string;
  readonly paymentId: string;
  readonly currency: string;
  readonly captured: number;
  readonly disputed: number;
  /** Ours and those made by hand at the provider. */
  readonly refunded: number;
  readonly unknown: number;
  readonly reserved: number;
  readonly remaining: number;
  readonly customer: string | null;
  readonly paidAt: number;
}

/** The balance of payments. Every change is one conditional statement on one row (R7). */
export interface Ledger {
  /**
   * Takes over the provider's own record, and claims the payment for this tenant if nobody has.
   * @throws CountersignError payment_unknown when another tenant has it
   */
  adopt(payment: ProviderPayment): Promise<Balance>;
  find(paymentId: string): Promise<Balance | undefined>;
  /** What was refunded without us, minor units: also what carries our metadata and is in no journal of ours. */
  elsewhere(payment: ProviderPayment): Promise<number>;
  /**
   * Holds `amount` for the run, once, and the units of its order's lines with it: a second call for the same run
   * changes nothing. What frees the amount frees the units.
   * @throws CountersignError exceeds_remaining, payment_uncaptured, payment_disputed, line_changed, line_exhausted,
   * amount_not_of_lines
   */
  reserve(runId: string, paymentId: string, amount: number): Promise<void>;
  /**
   * Changes what the run holds to `amount`. Its lines stay as they are, and are the most that it can be.
   * @throws CountersignError exceeds_remaining, amount_not_of_lines
   */
  changeReservation(runId: string, amount: number): Promise<void>;
  /** Gives back what the run holds, once. Only after a confirmed end without money moved (R8). */
  release(runId: string): Promise<void>;
  /** The outcome at the provider is unknown: held, and counted as possibly paid (R12). */
  markUnknown(runId: string): Promise<void>;
  /** What the run holds is paid, once. */
  markPaid(runId: string): Promise<void>;
  /** What was paid came back to the payment, once (R17). */
  reverse(runId: string): Promise<void>;
  /** Sums for policy over refunds that hold or have moved money, by intake since `since` (ms). */
  aggregates(runId: string, since: number, dayStart: number): Promise<Aggregates>;
}

export type EffectState = 'sent' | 'unknown' | 'succeeded' | 'pending' | 'failed' | 'refused';

export interface Effect {
  readonly key: string;
  readonly request: string;
  readonly state: EffectState;
  readonly attempts: number;
  /** ms since the epoch. */
  readonly firstSentAt: number;
  readonly providerId: string | null;
  /** ms since the epoch: the last attempt. */
  readonly lastSentAt: number;
  /** Why it was refused, or why its outcome is unknown. */
  readonly errorCode: ErrorCode | null;
}

/** The journal of calls that move money, written before each call. */
export interface EffectJournal {
  /** Records that the call is about to be made; counts attempts. @returns the row as it is now */
  begin(key: string, runId: string, step: string, request: string): Promise<Effect>;
  find(key: string): Promise<Effect | undefined>;
  /** Every call of the run, in the order in which they were first sent. */
  ofRun(runId: string): Promise<Effect[]>;
  /** A call of the run that has moved money, or may have. */
  unresolvedOf(runId: string): Promise<Effect | undefined>;
  /** The effect that a refund of the provider belongs to. */
  ofRefund(providerId: string): Promise<(Effect & { readonly runId: string }) | undefined>;
  /**
   * The provider's answer; also for a refund that was made by hand and named by a person.
   * @throws CountersignError review_contradicted when that refund pays another run
   */
  recordRefund(key: string, runId: string, refund: ProviderRefund): Promise<void>;
  /** A refund that had succeeded has failed. */
  recordReversal(key: string): Promise<void>;
  recordFailure(key: string, state: 'unknown' | 'refused', code: ErrorCode): Promise<void>;
}

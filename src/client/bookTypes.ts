import type { LedgerAccount } from '../domain/ledger/accounts';
import type {
  DifferenceKind,
  DifferenceStatus,
  ReconciliationState,
} from '../domain/reconciliation/difference';

export type { DifferenceKind, DifferenceStatus, LedgerAccount, ReconciliationState };

/** One comparison of our books with the provider's. */
export interface Reconciliation {
  readonly id: string;
  readonly state: ReconciliationState;
  /** A person, or `schedule`. */
  readonly requestedBy: string;
  readonly window: { readonly from: string; readonly to: string };
  readonly pages: number;
  /** Payments. */
  readonly compared: number;
  /** Payments left for the next time, since something had just moved there. */
  readonly inFlight: number;
  readonly differences: number;
  readonly errorCode: string | null;
  readonly startedAt: string;
  readonly finishedAt: string | null;
}

/** What a reconciliation found; the same difference found again is the same item. */
export interface Difference {
  readonly id: string;
  readonly kind: DifferenceKind;
  readonly status: DifferenceStatus;
  readonly paymentId: string;
  readonly refundId: string | null;
  readonly runId: string | null;
  /** The one that saw it last. */
  readonly reconciliationId: string;
  /** Amounts with their currency, or words; null where there is nothing on that side. */
  readonly ours: Readonly<Record<string, string>> | null;
  readonly theirs: Readonly<Record<string, string>> | null;
  /** In plain words. */
  readonly explanation: string;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  readonly resolvedAt: string | null;
  readonly dismissedBy: string | null;
  readonly comment: string | null;
}

/** One movement of a payment's money. Values are signed decimal strings in major units of `currency`. */
export interface Movement {
  /** Counts up within the payment. */
  readonly seq: number;
  readonly at: string;
  readonly runId: string | null;
  readonly requester: string | null;
  /** What the movement is, such as `reserved` or `refunded_at_provider`. */
  readonly cause: string;
  /** The audit event of the same transaction, its actor and reason. */
  readonly event: string | null;
  readonly actor: string;
  readonly reason: string | null;
  readonly refundId: string | null;
  readonly currency: string;
  readonly movements: readonly { readonly account: LedgerAccount; readonly value: string }[];
  /** After it. */
  readonly balances: Readonly<Record<LedgerAccount, string>>;
}

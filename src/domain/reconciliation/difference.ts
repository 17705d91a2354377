import type { Money } from '../money/money';

/** What our books and the provider's can differ in; docs/runbook.md says what to do about each. */
export const differenceKinds = [
  'refund_by_hand',
  'refund_unrecorded',
  'refund_missing',
  'status_differs',
  'amount_differs',
  'payment_missing',
  'payment_unreadable',
  'payment_changed',
  'balance_differs',
  'ledger_differs',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/**
 * `open` waits for a person. `adopted`: the books took over the provider's own record, nothing is left to do. `gone`: a
 * later reconciliation did not find it any more. `dismissed`: a person has looked and needs no more of it.
 */
export const differenceStatuses = ['open', 'adopted', 'gone', 'dismissed'] as const;
export type DifferenceStatus = (typeof differenceStatuses)[number];

/** One side's figures. */
export type Figures = Readonly<Record<string, Money | string>>;

/** One difference, as a comparison finds it. The same kind on the same payment, refund and run is the same difference. */
export interface FoundDifference {
  readonly kind: DifferenceKind;
  readonly refundId?: string;
  readonly runId?: string;
  /** Null where there is nothing on that side. */
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  /** In plain words, for whoever reviews it. */
  readonly explanation: string;
  readonly adopted: boolean;
  /** The run is told to look at the provider, as a webhook would have told it. */
  readonly news: boolean;
}

export const reconciliationStates = ['queued', 'running', 'finished', 'failed'] as const;
export type ReconciliationState = (typeof reconciliationStates)[number];

/**
 * Where a reconciliation stands: first the provider's refunds page by page, then our own movements, then what was open
 * before and has not been looked at. `after` is the last item of the page before.
 */
export type Progress =
  | { readonly side: 'provider'; readonly after?: string }
  | { readonly side: 'ours'; readonly after?: MovementCursor }
  | { readonly side: 'open'; readonly after?: string }
  | { readonly side: 'done' };

export interface MovementCursor {
  /** As PostgreSQL writes it, with its microseconds. */
  readonly at: string;
  readonly paymentId: string;
  readonly seq: number;
}

/** A refund can come back for about a month. */
export const defaultWindowDays = 35;

/** Input of workflow `reconcile`. */
export interface ReconcileInput {
  readonly tenant: string;
  /** How many days of refunds are compared, up to now. */
  readonly windowDays: number;
  /** A person, or `schedule`. */
  readonly requestedBy: string;
  /** Of a row that the door has written already; without one it is made here. */
  readonly reconciliationId?: string;
  /** Where an earlier execution of this reconciliation stopped. */
  readonly at?: Progress;
  /** Refunds a page, at most 100. Default 100. */
  readonly pageSize?: number;
  /** Pages before it continues as new, so that no history grows without bound (R35). Default 50. */
  readonly pagesPerExecution?: number;
}

export function isReconcileInput(input: unknown): input is ReconcileInput {
  return (
    typeof input === 'object' &&
    input !== null &&
    'tenant' in input &&
    typeof input.tenant === 'string' &&
    'windowDays' in input &&
    typeof input.windowDays === 'number' &&
    'requestedBy' in input &&
    typeof input.requestedBy === 'string'
  );
}

export interface ReconcileResult {
  readonly reconciliationId: string;
  readonly state: ReconciliationState;
}

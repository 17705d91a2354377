import type { ErrorCode } from '../domain/errors';
import type {
  DifferenceKind,
  DifferenceStatus,
  Figures,
  FoundDifference,
  MovementCursor,
  Progress,
  ReconciliationState,
} from '../domain/reconciliation/difference';

/** One comparison of our books with the provider's. Times in ms since the epoch. */
export interface Reconciliation {
  readonly id: string;
  readonly state: ReconciliationState;
  /** A person, or `schedule`. */
  readonly requestedBy: string;
  readonly from: number;
  readonly to: number;
  readonly progress: Progress;
  readonly pages: number;
  /** Payments. */
  readonly compared: number;
  /** Payments that differed and are left for the next time, since something had just moved there. */
  readonly inFlight: number;
  readonly differences: number;
  readonly errorCode: ErrorCode | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
}

export interface ListPosition {
  /** As PostgreSQL writes it, with its microseconds. */
  readonly at: string;
  readonly id: string;
}

export interface ListOf<Item> {
  readonly items: Item[];
  readonly nextCursor: ListPosition | null;
}

export interface PageFilter {
  readonly cursor?: ListPosition;
  readonly limit: number;
}

export interface Reconciliations {
  /** Once: one that is on record stays as it is. */
  create(reconciliation: Pick<Reconciliation, 'id' | 'requestedBy' | 'from' | 'to'>): Promise<void>;
  find(id: string): Promise<Reconciliation | undefined>;
  /** Newest first. */
  list(filter: PageFilter): Promise<ListOf<Reconciliation>>;
  begin(id: string): Promise<void>;
  /**
   * From one page to the next, once: where it stands elsewhere already, nothing is counted again.
   * @returns where it stands now
   */
  advance(id: string, from: Progress, to: Progress, inFlight: readonly string[]): Promise<Progress>;
  /** Counts a payment as compared, once for each reconciliation. @returns false where it was already */
  countPayment(id: string, paymentId: string, differences: number): Promise<boolean>;
  finish(id: string, state: 'finished' | 'failed', code?: ErrorCode): Promise<void>;
  /** Those among these payments that this reconciliation has compared. */
  comparedOf(id: string, paymentIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Payments of ours that moved within the window, oldest movement first; one may be on several pages. */
  movedPayments(page: {
    readonly from: number;
    readonly to: number;
    readonly after?: MovementCursor;
    readonly limit: number;
  }): Promise<{ readonly paymentIds: string[]; readonly next: MovementCursor | null }>;
}

/** A difference as it stands. Times in ms since the epoch. */
export interface Difference {
  readonly id: string;
  readonly kind: DifferenceKind;
  readonly status: DifferenceStatus;
  readonly paymentId: string;
  readonly refundId: string | null;
  readonly runId: string | null;
  /** The reconciliation that saw it last. */
  readonly reconciliationId: string;
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  readonly explanation: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  readonly resolvedAt: number | null;
  readonly dismissedBy: string | null;
  readonly comment: string | null;
}

export interface DifferenceFilter extends PageFilter {
  readonly status?: DifferenceStatus;
}

/** Review items: what reconciliations have found. */
export interface Differences {
  /**
   * What one comparison of a payment found: the same difference again is the same item, one that is not found any more
   * is closed, and one that was dismissed stays so while its figures stay.
   */
  replace(reconciliationId: string, paymentId: string, found: readonly FoundDifference[]): Promise<void>;
  find(id: string): Promise<Difference | undefined>;
  /** Oldest first. */
  list(filter: DifferenceFilter): Promise<ListOf<Difference>>;
  countOpen(reconciliationId: string): Promise<number>;
  /** Payments of open items that this reconciliation has not seen, by item id. */
  unseenPayments(
    reconciliationId: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ readonly paymentIds: string[]; readonly next: string | null }>;
  /** @returns false when it is not open */
  dismiss(id: string, actor: string, comment: string): Promise<boolean>;
}

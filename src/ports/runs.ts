import type { Phase } from '../domain/contract';
import type { Money } from '../domain/money/money';
import type { AdmittedLine } from '../domain/refund/lines';
import type { RefundRequest } from '../domain/refund/request';
import type { Review } from '../domain/refund/review';
import type { RefundArguments, RefundResult } from '../domain/refund/state';

/** One refund run as the doors read it. Times in ms since the epoch. */
export interface Run {
  readonly runId: string;
  readonly tenant: string;
  readonly phase: Phase;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly paymentId: string;
  readonly amount: Money;
  readonly money: 'none' | 'reserved' | 'unknown' | 'paid' | 'freed';
  readonly customer: string | null;
  readonly request: RefundRequest;
  /** What it has of its order's lines, with shipping; nothing before its amount is held. */
  readonly lines: readonly AdmittedLine[];
  /** The refund of an order that it is a part of. */
  readonly splitId: string | null;
  /** The batch that it is a row of. */
  readonly batchId: string | null;
  readonly note: string | null;
  readonly approved: RefundArguments | null;
  readonly executed: RefundArguments | null;
  readonly result: RefundResult | null;
  /** Why it waits for a person; only while it does. */
  readonly review: Review | null;
  /** The workflow that carries the run now, where it was reopened. */
  readonly reopenedBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewRun {
  readonly runId: string;
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly requester: string;
  readonly request: RefundRequest;
  readonly note?: string;
  /** The payment's one id and its customer, where the provider was reached. */
  readonly paymentId: string;
  readonly customer?: string;
  readonly splitId?: string;
  readonly batchId?: string;
}

export interface RunFilter {
  readonly phase?: Phase;
  readonly customer?: string;
  readonly paymentId?: string;
  readonly requester?: string;
  /** Taken in at this moment or later, and before that one; ms since the epoch. */
  readonly from?: number;
  readonly to?: number;
  readonly currency?: string;
  /** Minor units of `currency`. */
  readonly amountFrom?: number;
  readonly amountTo?: number;
  readonly cursor?: { readonly createdAt: string; readonly runId: string };
  readonly limit: number;
}

/** Counted up to `countedTo` each: beyond, a person needs no figure. */
export interface RunCounts {
  readonly countedTo: number;
  readonly byPhase: Readonly<Record<Phase, number>>;
}

/** Changes that a transition makes to a run; amounts in `amount` are minor units. */
export interface RunChange {
  readonly phase?: Phase;
  readonly amount?: number;
  readonly paymentId?: string;
  readonly customer?: string;
  readonly automatic?: boolean;
  readonly approved?: RefundArguments;
  readonly executed?: RefundArguments;
  readonly result?: RefundResult;
  readonly review?: Review;
  readonly reopenedBy?: string;
}

export interface Runs {
  /** Unique by tenant and caller's key, kept for good (R3). `false`: the key is taken already. */
  create(run: NewRun): Promise<boolean>;
  byIdempotencyKey(key: string): Promise<{ runId: string; fingerprint: string } | undefined>;
  find(runId: string): Promise<Run | undefined>;
  /** The same, and nobody else changes it until the transaction ends. */
  lock(runId: string): Promise<Run | undefined>;
  list(filter: RunFilter): Promise<{ items: Run[]; nextCursor: RunFilter['cursor'] | null }>;
  counts(): Promise<RunCounts>;
  /** Those of one payment that have not ended. */
  unfinishedOf(paymentId: string): Promise<Run[]>;
  /** The parts of a refund of an order over several payments. */
  ofSplit(splitId: string): Promise<Run[]>;
  /** Those of a thread, oldest first; only the newest `limit`. */
  ofThread(threadId: string, limit: number): Promise<Run[]>;
  change(runId: string, change: RunChange): Promise<void>;
}

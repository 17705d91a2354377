import type { Amount, Refund } from './types';

export type BatchKind = 'refunds' | 'documents';
export type BatchState =
  | 'checking'
  | 'waiting_approval'
  | 'running'
  | 'validated'
  | 'completed'
  | 'rejected'
  | 'expired'
  | 'cancelled';

export type ItemOutcome =
  | 'waiting'
  | 'running'
  | 'waiting_approval'
  | 'needs_review'
  | 'completed'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'ingested'
  | 'unchanged'
  | 'left_out';

/** What may run, as it was frozen before people were asked. */
export interface ManifestSummary {
  readonly count: number;
  readonly sum: Amount;
  readonly smallest: Amount;
  readonly median: Amount;
  readonly largest: Amount;
  readonly payments: number;
  readonly mostOfOnePayment: number;
  readonly mostOfOneCustomer: number;
  readonly reasons: Readonly<Partial<Record<Refund['arguments']['reason'], number>>>;
  readonly outliers: readonly { readonly row: number; readonly paymentId: string; readonly amount: Amount }[];
  readonly outlierCount: number;
}

/** Thousands of refunds or documents as one run. */
export interface Batch {
  readonly batchId: string;
  readonly kind: BatchKind;
  readonly state: BatchState;
  readonly paused: { readonly by: string; readonly at: string } | null;
  readonly cancelledBy: string | null;
  /** Whether people approve the whole file, or policy asks about each refund. */
  readonly approvalMode: 'manifest' | 'each';
  readonly dryRun: boolean;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  /** The sum of the file; null for documents. */
  readonly asked: Amount | null;
  readonly rows: number;
  readonly counts: Readonly<Record<ItemOutcome, number>>;
  readonly manifestHash: string | null;
  readonly summary: ManifestSummary | null;
  readonly approval: {
    readonly id: string;
    readonly status: string;
    readonly votes: number;
    readonly needed: number;
  } | null;
  readonly brake: Refund['brake'];
  readonly createdAt: string;
  readonly endedAt: string | null;
  readonly links: {
    readonly self: string;
    readonly items: string;
    readonly result: string;
    readonly events: string;
  };
}

export interface BatchItem {
  /** Of the file, from 1. */
  readonly row: number;
  /** The key that the row gave, or the document. */
  readonly name: string | null;
  readonly paymentId: string | null;
  readonly amount: Amount | null;
  readonly outcome: ItemOutcome;
  readonly runId: string | null;
  readonly refundId: string | null;
  readonly code: string | null;
  readonly detail: string | null;
}

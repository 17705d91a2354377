import type {
  BatchApproval,
  BatchCounts,
  BatchKind,
  BatchState,
  ItemOutcome,
  ItemState,
} from '../domain/batch/batch';
import type { ManifestRow, ManifestSummary } from '../domain/batch/manifest';
import type { RowIssue } from '../domain/batch/row';
import type { ErrorCode } from '../domain/errors';
import type { DocumentBody } from '../domain/knowledge/document';
import type { Money } from '../domain/money/money';
import type { RefundReason, RefundRequest } from '../domain/refund/request';
import type { RefundInput } from '../domain/refund/state';

/** Times in ms since the epoch. */
export interface Batch {
  readonly batchId: string;
  readonly tenant: string;
  readonly kind: BatchKind;
  readonly requester: string;
  readonly onBehalfOf: string | null;
  readonly approval: BatchApproval;
  readonly dryRun: boolean;
  readonly state: BatchState;
  /** Rows of the file. */
  readonly rows: number;
  /** Of refunds: what the file asks for in all (of its first currency), and the reason that most rows have. */
  readonly asked: { readonly amount: Money; readonly reason: RefundReason } | null;
  readonly paused: { readonly by: string; readonly at: number } | null;
  readonly cancelledBy: string | null;
  readonly manifestHash: string | null;
  readonly summary: ManifestSummary | null;
  /** Counts every change of the batch itself, not of its rows (R34). */
  readonly version: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

export interface NewBatch extends Pick<
  Batch,
  'batchId' | 'kind' | 'requester' | 'onBehalfOf' | 'approval' | 'dryRun' | 'asked'
> {
  readonly idempotencyKey: string;
  readonly fingerprint: string;
  readonly items: readonly NewItem[];
  /** Rows that are not as they should be, and are left out instead of refusing the file. */
  readonly leftOut: readonly RowIssue[];
}

/** A row as it is kept until it starts. */
export type NewItem =
  | {
      readonly row: number;
      readonly name: string | null;
      readonly runId: string;
      readonly fingerprint: string;
      readonly refund: RefundItem;
    }
  | { readonly row: number; readonly name: string; readonly document: DocumentBody };

export interface RefundItem {
  /** The key under which it is asked for once: the caller's, or one that the batch makes. */
  readonly key: string;
  readonly request: RefundRequest;
  readonly note?: string;
}

export interface StoredRefundItem {
  readonly row: number;
  readonly runId: string;
  readonly fingerprint: string;
  /** As it was asked for until the row is checked, then the payment's one id. */
  readonly paymentId: string;
  readonly refund: RefundItem;
}

export interface StoredDocumentItem {
  readonly row: number;
  readonly document: DocumentBody;
}

/** One row with what has become of it. */
export interface BatchItem {
  readonly row: number;
  readonly name: string | null;
  readonly paymentId: string | null;
  readonly amount: Money | null;
  readonly outcome: ItemOutcome;
  readonly runId: string | null;
  readonly refundId: string | null;
  readonly code: string | null;
  readonly detail: string | null;
}

export interface BatchFilter {
  readonly cursor?: { readonly createdAt: string; readonly batchId: string };
  readonly limit: number;
}

export interface BatchChange {
  readonly state?: BatchState;
  readonly paused?: { readonly by: string } | null;
  readonly cancelledBy?: string;
  readonly manifestHash?: string;
  readonly summary?: ManifestSummary;
  readonly ended?: true;
}

export interface Batches {
  /** With all its rows. `false`: the key is taken already. */
  create(batch: NewBatch): Promise<boolean>;
  find(batchId: string): Promise<Batch | undefined>;
  /** The same, and nobody else changes it until the transaction ends. */
  lock(batchId: string): Promise<Batch | undefined>;
  /** The same; nobody changes it until the transaction ends, while others may read it so too. */
  share(batchId: string): Promise<Batch | undefined>;
  list(filter: BatchFilter): Promise<{ items: Batch[]; nextCursor: BatchFilter['cursor'] | null }>;
  /** @returns false, and nothing is written, where `version` is given and it has another one (R34) */
  change(batchId: string, change: BatchChange, version?: number): Promise<boolean>;
  counts(batchId: string): Promise<BatchCounts>;
  /** Rows in their order after `after`, with what has become of them. */
  items(batchId: string, after: number, limit: number, outcome?: ItemOutcome): Promise<BatchItem[]>;
}

/** The rows of batches as they are carried, for whoever carries them. */
export interface BatchItems {
  /** The next rows in that state, held for this transaction; what another one holds is passed over. */
  take(batchId: string, state: ItemState, limit: number): Promise<StoredRefundItem[]>;
  takeDocuments(batchId: string, limit: number): Promise<StoredDocumentItem[]>;
  /** What earlier rows of the file take of a payment, minor units. */
  readyOf(batchId: string, paymentId: string): Promise<number>;
  ready(batchId: string, row: number, paymentId: string): Promise<void>;
  /** Its run is on record. `started`: with a workflow of its own already. */
  admitted(batchId: string, row: number, runId: string, started: boolean): Promise<void>;
  started(batchId: string, runIds: readonly string[]): Promise<void>;
  done(batchId: string, row: number, code: 'ingested' | 'unchanged'): Promise<void>;
  leaveOut(batchId: string, row: number, code: ErrorCode, detail: string): Promise<void>;
  /** Every row that has not started. */
  leaveOutRest(batchId: string, code: ErrorCode, detail: string): Promise<void>;
  /** How many there are in that state. */
  count(batchId: string, state: ItemState): Promise<number>;
  /** Runs of the batch that do not wait for a person and have not ended. */
  moving(batchId: string): Promise<number>;
  /** What may run, in the order of the file. */
  manifest(batchId: string): Promise<ManifestRow[]>;
  /** The row that a run was made of, as it was frozen; undefined for a run of no batch. */
  ofRun(runId: string): Promise<FrozenRow | undefined>;
  /** Runs of the batch that wait for people. */
  waitingRuns(batchId: string, limit: number): Promise<string[]>;
}

export interface FrozenRow {
  readonly batchId: string;
  readonly amount: Money;
  readonly fingerprint: string;
  readonly paymentId: string;
}

/** What became of a row that was to be taken in as a refund. */
export type TakenIn =
  | { readonly kind: 'start'; readonly input: RefundInput }
  /** Its key had a refund of the same already, which goes its own way. */
  | { readonly kind: 'known' }
  | { readonly kind: 'left_out' }
  /** The batch was paused or cancelled meanwhile; the row stays as it is. */
  | { readonly kind: 'not_now' };

/** Use cases that carrying a batch needs; src/main wires them. */
export interface BatchIntake {
  /** One row in one transaction: its intake row, as the door of single refunds writes it, or why it is left out. */
  takeIn(tenant: string, batchId: string, item: StoredRefundItem): Promise<TakenIn>;
  /** One document in one transaction with its row. Bad ones are left out, and never an error. */
  ingest(tenant: string, batchId: string, item: StoredDocumentItem): Promise<void>;
}

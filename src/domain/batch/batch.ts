import type { RefundInput } from '../refund/state';

export const batchKinds = ['refunds', 'documents'] as const;
export type BatchKind = (typeof batchKinds)[number];

/** `manifest`: people approve the whole file. `each`: policy asks about every refund as if it had come alone. */
export const batchApprovals = ['manifest', 'each'] as const;
export type BatchApproval = (typeof batchApprovals)[number];

export const batchStates = [
  'checking',
  'waiting_approval',
  'running',
  'validated',
  'completed',
  'rejected',
  'expired',
  'cancelled',
] as const;
export type BatchState = (typeof batchStates)[number];

const going: ReadonlySet<BatchState> = new Set(['checking', 'waiting_approval', 'running']);

export function hasEnded(state: BatchState): boolean {
  return !going.has(state);
}

/**
 * Where a row stands. `unchecked` → `ready` → `admitted` (its run is on record) → `started`; a document goes from
 * `ready` to `done`. `left_out` never ran, and says why.
 */
export const itemStates = ['unchecked', 'ready', 'admitted', 'started', 'done', 'left_out'] as const;
export type ItemState = (typeof itemStates)[number];

/** What a row has come to: of a refund, the phase of its run. */
export const itemOutcomes = [
  'waiting',
  'running',
  'waiting_approval',
  'needs_review',
  'completed',
  'rejected',
  'expired',
  'cancelled',
  'failed',
  'ingested',
  'unchanged',
  'left_out',
] as const;
export type ItemOutcome = (typeof itemOutcomes)[number];

export type BatchCounts = Readonly<Record<ItemOutcome, number>>;

const openOutcomes = ['waiting', 'running', 'waiting_approval', 'needs_review'] as const;

/** Rows whose outcome is still to come. */
export function unfinished(counts: BatchCounts): number {
  return openOutcomes.reduce((all, outcome) => all + counts[outcome], 0);
}

/**
 * Input of `refundBatch`: that of a refund whose `runId` and payment are the batch, and whose amount is the sum of its
 * rows, so that its approval is waited for as any other is.
 */
export type RefundBatchInput = RefundInput & { readonly rowsPerExecution?: number };

/** Input of `ingestKnowledge`. */
export interface IngestInput {
  readonly tenant: string;
  readonly batchId: string;
  /** Rounds before it continues as new (R35). */
  readonly roundsPerExecution?: number;
}

export interface BatchResult {
  readonly batchId: string;
  readonly state: BatchState;
}

export function isIngestInput(input: unknown): input is IngestInput {
  return typeof input === 'object' && input !== null && 'tenant' in input && 'batchId' in input;
}

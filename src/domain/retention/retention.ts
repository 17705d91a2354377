/** How long what is kept, in days, by tenant. Version 0: the tenant has set nothing, and these are the defaults. */
export interface RetentionRule {
  /** What a finished refund holds of persons: notes, evidence, comments, ids of customers and orders. */
  readonly runDays: number;
  /** Long-term memory and the decisions about it. */
  readonly memoryDays: number;
  /** Conversations, after their last turn. */
  readonly turnDays: number;
  readonly version: number;
  readonly changedBy: string | null;
  /** ms since the epoch. */
  readonly changedAt: number | null;
}

export const holdScopes = ['tenant', 'person', 'run'] as const;
export type HoldScope = (typeof holdScopes)[number];

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** Input of workflow `memoryRetention`. */
export interface SweepInput {
  readonly tenant: string;
  /** A person, or `schedule`. */
  readonly requestedBy: string;
  readonly sweepId?: string;
  /** What earlier executions of this sweep have removed. */
  readonly swept?: RowCounts;
  /** Batches before it continues as new, so that no history grows without bound (R35). Default 100. */
  readonly batchesPerExecution?: number;
}

export function isSweepInput(input: unknown): input is SweepInput {
  return typeof input === 'object' && input !== null && 'tenant' in input && 'requestedBy' in input;
}

export interface SweepResult {
  readonly sweepId: string;
  readonly swept: RowCounts;
}

export function addCounts(one: RowCounts, other: RowCounts): RowCounts {
  const sum: Record<string, number> = { ...one };
  for (const [table, rows] of Object.entries(other)) if (rows > 0) sum[table] = (sum[table] ?? 0) + rows;
  return sum;
}

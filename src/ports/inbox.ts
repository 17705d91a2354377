import type { RiskMark } from '../domain/approval/risk';
import type { InboxColumns } from '../domain/approval/projection';
import type { ApprovalState, ApprovalStatus } from '../domain/approval/state';
import type { Day } from '../domain/time/days';
import type { StoredApproval } from './approvals';

/** `amount` sorts within one currency only, so it needs that filter. */
export const inboxOrders = ['oldest', 'newest', 'deadline', 'amount'] as const;
export type InboxOrder = (typeof inboxOrders)[number];

export interface InboxFilter {
  readonly status?: ApprovalStatus;
  /** May decide: by policy, or since an escalation. */
  readonly group?: string;
  /** Holds an unexpired claim. */
  readonly assignee?: string;
  /** Times in ms since the epoch. */
  readonly openedBefore?: number;
  readonly deadlineBefore?: number;
  readonly currency?: string;
  /** Minor units of `currency`. */
  readonly amountFrom?: number;
  readonly amountTo?: number;
  readonly customer?: string;
  readonly risk?: RiskMark;
  /** Words, "phrases" and -exclusions. */
  readonly text?: string;
}

/** Where a page ended: the value that it is sorted by, as text, and the id. */
export interface InboxPosition {
  readonly value: string;
  readonly id: string;
}

export interface InboxPage {
  readonly items: StoredApproval[];
  readonly next: InboxPosition | undefined;
}

/** Counted up to `countedTo`: beyond, a person needs no figure, and the page stays fast. */
export interface InboxCounts {
  readonly countedTo: number;
  readonly open: number;
  readonly claimedByMe: number;
  readonly dueWithin24h: number;
  readonly byGroup: Readonly<Record<string, number>>;
}

export interface OpenPage {
  readonly runIds: string[];
  readonly next: InboxPosition | undefined;
}

/** A row with everything that is written twice, as it is: no two members need to agree. */
export interface InboxRow {
  readonly id: string;
  readonly epoch: string;
  readonly approval: ApprovalState;
  readonly columns: InboxColumns;
}

/** One day in UTC. Times in ms. */
export interface InboxDay {
  /** `2026-11-30` */
  readonly date: string;
  readonly opened: number;
  /** Approved or rejected by people. */
  readonly decided: number;
  /** Ended otherwise: expired, or cancelled. */
  readonly lapsed: number;
  /** Open at the end of the day; now, for today. */
  readonly waiting: number;
  /** From opening to decision, of those that were decided that day; null without any. */
  readonly medianMs: number | null;
}

/** The inbox as it is looked through. Approvals themselves are written by `Approvals`. */
export interface Inbox {
  list(
    filter: InboxFilter,
    order: InboxOrder,
    after: InboxPosition | undefined,
    limit: number,
    now: number,
  ): Promise<InboxPage>;
  counts(person: string, now: number): Promise<InboxCounts>;
  /** Day by day; `days`: oldest first, up to today. */
  daily(days: readonly Day[]): Promise<InboxDay[]>;
  /** The runs of what the list shows as open, oldest first. */
  open(after: InboxPosition | undefined, limit: number): Promise<OpenPage>;
  row(runId: string): Promise<InboxRow | undefined>;
  /** The same, and nobody else changes it until the transaction ends. */
  lockRow(runId: string): Promise<InboxRow | undefined>;
}

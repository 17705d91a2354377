import type { ErasureReport, ErasureState, WaitingFor } from '../domain/erasure/erasure';
import type { HoldScope, RetentionRule, RowCounts } from '../domain/retention/retention';

/** An erasure of one person. Times in ms since the epoch. */
export interface Erasure {
  readonly id: string;
  /** Null when it is finished or given up. */
  readonly subject: string | null;
  /** Asked for by the person himself. */
  readonly own: boolean;
  readonly state: ErasureState;
  readonly requestedBy: string;
  readonly requestedAt: number;
  readonly confirmedBy: string | null;
  readonly waitingFor: readonly WaitingFor[];
  readonly report: ErasureReport | null;
  readonly finishedAt: number | null;
}

export interface Erasures {
  /** @returns false where one of this person is open already */
  request(erasure: {
    readonly id: string;
    readonly subject: string;
    readonly own: boolean;
    readonly requestedBy: string;
  }): Promise<boolean>;
  find(id: string): Promise<Erasure | undefined>;
  openOf(subject: string): Promise<Erasure | undefined>;
  /** Newest first. */
  list(limit: number): Promise<Erasure[]>;
  confirm(id: string, by: string): Promise<void>;
  cancel(id: string): Promise<void>;
  /** Adds to what it has erased. */
  count(id: string, erased: RowCounts, histories: number): Promise<void>;
  /** What it waits for, and what the last look has found. */
  wait(
    id: string,
    waitingFor: readonly WaitingFor[],
    found: Pick<ErasureReport, 'looked' | 'kept'>,
  ): Promise<void>;
  /** With it the person's id is gone. */
  finish(id: string, found: Pick<ErasureReport, 'looked' | 'kept'>): Promise<void>;
}

/** Somebody has to keep things: nothing of them is swept or erased meanwhile. Times in ms since the epoch. */
export interface LegalHold {
  readonly id: string;
  readonly scope: HoldScope;
  readonly subject: string | null;
  readonly reason: string;
  readonly placedBy: string;
  readonly placedAt: number;
  readonly releasedBy: string | null;
  readonly releasedAt: number | null;
}

export interface LegalHolds {
  place(hold: Pick<LegalHold, 'id' | 'scope' | 'subject' | 'reason' | 'placedBy'>): Promise<void>;
  find(id: string): Promise<LegalHold | undefined>;
  /** Newest first. */
  list(released: boolean, limit: number): Promise<LegalHold[]>;
  /** How many stand. */
  standing(): Promise<number>;
  release(id: string, by: string): Promise<void>;
  /** Whether anything holds this person's data: a hold of his own, or one of the tenant. */
  holdsPerson(subject: string): Promise<boolean>;
}

export interface Retention {
  rule(): Promise<RetentionRule>;
  /** @returns false where the version is another by now */
  set(
    version: number,
    days: Partial<Pick<RetentionRule, 'runDays' | 'memoryDays' | 'turnDays'>>,
    by: string,
  ): Promise<boolean>;
  /** Finished runs that are older than the rule, under no hold, and still hold something; oldest first. */
  agedRuns(limit: number): Promise<string[]>;
  /** Customers of payments that were read longer ago than that, and have no refund under way. @returns how many */
  sweepPayments(limit: number): Promise<number>;
  /** What rows of ended batches say that never became a run, as those of a dry run, and for whom batches were sent. */
  sweepBatches(limit: number): Promise<{ rows: number; batches: number }>;
  /** Tables whose rows belong to one person each, in the order in which they are removed. */
  ownedTables(): Promise<string[]>;
  /** Removes what is older than the rule. @returns how many rows, at most `limit` */
  sweepRows(table: string, limit: number): Promise<number>;
  /** How much a sweep would take now, of every place. */
  due(): Promise<RowCounts>;
}

/** A refund that concerns a person. */
export interface RunOfPerson {
  readonly runId: string;
  readonly ended: boolean;
  readonly held: boolean;
}

/** What the tables hold of persons, and how it is taken away. */
export interface PersonalData {
  /** Runs that concern this person, by id. */
  runsOf(subject: string, after: string | undefined, limit: number): Promise<RunOfPerson[]>;
  /** Takes away what a finished run holds of persons. Figures, keys, ids of payments and the audit log stay. */
  eraseRun(runId: string): Promise<RowCounts>;
  /** What other tables than those of runs hold of the person of this erasure. */
  eraseRecords(erasureId: string, subject: string): Promise<RowCounts>;
  /** Every table of tenants. */
  tables(): Promise<string[]>;
  /** Rows of a table that name somebody, in whatever column. */
  mentions(table: string, subject: string): Promise<number>;
}

/** Why rows of a table may name somebody who was erased; undefined where none may. */
export type KeptRows = (table: string) => string | undefined;

/** An erasure of one person. `person` is null when it is over: nothing keeps the id then. */
export interface Erasure {
  readonly id: string;
  readonly state: 'unconfirmed' | 'erasing' | 'finished' | 'cancelled';
  readonly person: string | null;
  readonly own: boolean;
  readonly requestedBy: string;
  readonly requestedAt: string;
  readonly confirmedBy: string | null;
  /** What it waits for; it goes on by itself. */
  readonly waitingFor: readonly {
    readonly code:
      'legal_hold' | 'refunds_unfinished' | 'refunds_held' | 'histories_deleting' | 'still_named';
    readonly count: number;
    readonly tables?: readonly string[];
  }[];
  /** Rows by table. */
  readonly report: {
    readonly erased: Readonly<Record<string, number>>;
    /** Refunds of which Temporal has nothing any more. */
    readonly histories: number;
    readonly looked: Readonly<Record<string, number>>;
    readonly kept: Readonly<Record<string, { readonly rows: number; readonly reason: string }>>;
  } | null;
  readonly finishedAt: string | null;
}

export interface RetentionDays {
  /** What finished refunds hold of persons. */
  readonly runDays?: number | undefined;
  readonly memoryDays?: number | undefined;
  /** Conversations, after their last turn. */
  readonly turnDays?: number | undefined;
}

export interface Retention {
  readonly runDays: number;
  readonly memoryDays: number;
  readonly turnDays: number;
  /** 0: nothing was set, these are the defaults. */
  readonly version: number;
  readonly changedBy: string | null;
  readonly changedAt: string | null;
}

export interface RetentionDue {
  /** Rows by table. */
  readonly due: Readonly<Record<string, number>>;
  /** Legal holds that stand. */
  readonly holds: number;
}

export interface LegalHold {
  readonly id: string;
  readonly scope: 'tenant' | 'person' | 'run';
  readonly subject: string | null;
  readonly reason: string;
  readonly placedBy: string;
  readonly placedAt: string;
  readonly releasedBy: string | null;
  readonly releasedAt: string | null;
}

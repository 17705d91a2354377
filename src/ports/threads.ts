import type { CompactionStrategy, ThreadSummary } from '../domain/context/summary';
import type { Turn } from '../domain/thread/turn';

/** One conversation of one owner. Times in ms since the epoch. */
export interface Thread {
  /** `thr_…` */
  readonly id: string;
  readonly owner: string;
  readonly title: string | null;
  readonly createdBy: string;
  /** The seq of its last turn; 0 for none. */
  readonly version: number;
  readonly createdAt: number;
  readonly lastTurnAt: number | null;
}

export type NewThread = Pick<Thread, 'id' | 'owner' | 'title' | 'createdBy'>;
export type NewTurn = Omit<Turn, 'seq' | 'at'> & { readonly mentions: readonly string[] };

export interface StoredCompaction {
  readonly upTo: number;
  readonly strategy: CompactionStrategy;
  readonly summary: ThreadSummary;
}

/** A list's place: after what was created then, and has that id. */
export interface ThreadPosition {
  readonly createdAt: string;
  readonly id: string;
}

export interface TurnFilter {
  /** Only turns after this seq. */
  readonly after: number;
  readonly limit: number;
  /** Only turns in whose text this id or amount stands. */
  readonly mentions?: string;
}

/**
 * The threads of one tenant. Every method names one owner, and another one's thread is as one that isn't there (R38,
 * R46). There is no way to change or remove a turn.
 */
export interface Threads {
  /** @returns false when there is one by that id already */
  create(thread: NewThread): Promise<boolean>;
  find(owner: string, id: string): Promise<Thread | undefined>;
  /** The same, and nobody else appends to it until the transaction ends. */
  lock(owner: string, id: string): Promise<Thread | undefined>;
  /** Newest first. */
  list(
    owner: string,
    after: ThreadPosition | undefined,
    limit: number,
  ): Promise<{ items: Thread[]; next: ThreadPosition | undefined }>;
  /** Appends to a thread that is locked, after its last turn. */
  append(thread: Thread, turns: readonly NewTurn[]): Promise<Turn[]>;
  /** By seq. */
  turns(owner: string, id: string, filter: TurnFilter): Promise<Turn[]>;
  /** Those that were appended under these names, and those that have one of these tool calls. */
  named(
    owner: string,
    id: string,
    names: { readonly clientMessageIds: readonly string[]; readonly toolCallIds: readonly string[] },
  ): Promise<Turn[]>;
  /**
   * What no summary of turns 1 to `upTo` may stand for: the turns after it, those of these runs, calls without
   * a result, and to each of them the call or the result that belongs to it (R51).
   */
  kept(owner: string, id: string, upTo: number, runIds: readonly string[]): Promise<Turn[]>;
  /** The one that reaches farthest, but not beyond `upTo`. */
  compaction(owner: string, id: string, upTo: number): Promise<StoredCompaction | undefined>;
  /** Kept as the first one of its kind was. */
  keepCompaction(owner: string, id: string, compaction: StoredCompaction): Promise<void>;
}

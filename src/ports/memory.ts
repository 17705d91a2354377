import type { MemoryKind, MemoryScope, MemorySource } from '../domain/memory/candidate';
import type { MemoryActor } from '../domain/memory/gate';

/** The recorded answer of the gate to one candidate. */
export interface MemoryDecision {
  readonly decisionId: string;
  readonly allowed: boolean;
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  readonly reason: string;
  /** The row that was written; null when the candidate was refused or waits. */
  readonly memoryId: string | null;
  /** The candidate that waits for a person to decide, else null. */
  readonly candidateId: string | null;
}

/** One version of one memory. Times in ms since the epoch. */
export interface Memory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly key: string;
  readonly value: string;
  readonly source: MemorySource;
  /** 0 to 1. */
  readonly confidence: number;
  readonly evidence: readonly { readonly kind: string; readonly ref: string }[];
  readonly personal: boolean;
  /** It stands first in a context, with whatever version is believed. */
  readonly pinned: boolean;
  readonly createdAt: number;
  readonly validFrom: number;
  /** Null while nothing has replaced it. */
  readonly validTo: number | null;
  readonly supersededBy: string | null;
  readonly expiresAt: number | null;
  /** From when on what was inferred is no longer believed unless it is confirmed; null for what doesn't fade. */
  readonly fadesAt: number | null;
  readonly version: number;
  readonly decisionId: string;
}

/** `believed` is the only one that anything but a history gives. */
export const memoryStates = ['believed', 'superseded', 'expired', 'faded', 'quarantined', 'revoked'] as const;
export type MemoryState = (typeof memoryStates)[number];

/** One version as a history shows it, with the decision that let it be written. */
export interface MemoryVersion extends Memory {
  readonly state: MemoryState;
  readonly decision: Pick<MemoryDecision, 'ruleIds' | 'policyVersion' | 'reason'> & {
    readonly actor: string;
    /** ms since the epoch. */
    readonly at: number;
  };
}

export interface ProposeOptions {
  /** The same key within one owner's scope answers as the first time and writes nothing more. */
  readonly requestKey?: string;
  /** The live version that the proposer has seen, 0 for none. */
  readonly expectedVersion?: number;
}

export interface MemoryQuery {
  readonly kind?: MemoryKind;
  readonly key?: string;
  /** Only what is pinned. */
  readonly pinned?: boolean;
  /** What was believed then, ms since the epoch; now when absent. */
  readonly at?: number;
  /** 1 to 200. */
  readonly limit: number;
}

/** Where a list by key goes on. */
export type MemoryPosition = Readonly<{ key: string; kind: MemoryKind }>;

export interface MemoryPage {
  readonly limit: number;
  /** After this one; from the beginning without it. */
  readonly after?: MemoryPosition;
  /** What was believed then, ms since the epoch; now when absent. */
  readonly at?: number;
  /** Instead: what has faded and waits to be confirmed. */
  readonly faded?: boolean;
}

/**
 * Long-term memory. Every method binds tenant and owner by equality and throws CountersignError
 * `memory_scope_invalid` for an empty, missing or `*` scope (R46). There is no write of what is
 * remembered but `propose`.
 */
export interface MemoryStore {
  /**
   * Judges a candidate, records the decision, and writes the memory if it is allowed, in one transaction. A
   * refusal is an answer, not an error; nothing of a refused value is kept (R44).
   * @throws CountersignError memory_scope_invalid, version_conflict
   */
  propose(candidate: unknown, actor: MemoryActor, options?: ProposeOptions): Promise<MemoryDecision>;
  /** Newest first; never an expired or superseded row, judged at `query.at` (R48). */
  recall(scope: MemoryScope, query: MemoryQuery): Promise<Memory[]>;
  /** What `recall` would give, by id; `at` as there. */
  find(scope: MemoryScope, id: string, at?: number): Promise<Memory | undefined>;
  /** Everything that is remembered now, or was at `page.at`, by key. */
  list(scope: MemoryScope, page: MemoryPage): Promise<{ items: Memory[]; next: MemoryPosition | null }>;
  /**
   * What may be confirmed or corrected by this id: believed, or faded. undefined where there is no such memory.
   * @throws CountersignError version_conflict (details: currentVersion) when another version took its place
   */
  current(scope: MemoryScope, id: string): Promise<Memory | undefined>;
  /** Every version of the memory that has one by this id, newest first; empty when there is none in this scope. */
  history(scope: MemoryScope, id: string): Promise<MemoryVersion[]>;
  /** Every version of every memory of this owner, by key and version. */
  export(scope: MemoryScope): AsyncIterable<MemoryVersion>;
  /**
   * Pins what is believed by this id, and every later version of it; also what is pinned already.
   * @returns undefined where nothing is believed by it
   * @throws CountersignError pins_full where `mostPinned` of this owner are pinned
   */
  pin(scope: MemoryScope, id: string, actor: MemoryActor): Promise<Memory | undefined>;
  /** @returns false when no version of a memory has this id; one that was not pinned is an answer too */
  unpin(scope: MemoryScope, id: string): Promise<boolean>;
  /**
   * Removes a memory with all its versions and leaves a tombstone without content.
   * @returns false when there is none by that id in this scope
   * @throws CountersignError forbidden where policy doesn't permit it; version_conflict for another `expectedVersion`
   */
  forget(scope: MemoryScope, id: string, actor: MemoryActor, expectedVersion?: number): Promise<boolean>;
}

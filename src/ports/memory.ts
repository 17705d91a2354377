import type { MemoryKind, MemoryScope, MemorySource } from '../domain/memory/candidate';
import type { MemoryActor } from '../domain/memory/gate';

/** The recorded answer of the gate to one candidate. */
export interface MemoryDecision {
  readonly decisionId: string;
  readonly allowed: boolean;
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  readonly reason: string;
  /** The row that was written; null when the candidate was refused. */
  readonly memoryId: string | null;
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
  readonly createdAt: number;
  readonly validFrom: number;
  /** Null while nothing has replaced it. */
  readonly validTo: number | null;
  readonly supersededBy: string | null;
  readonly expiresAt: number | null;
  readonly version: number;
  readonly decisionId: string;
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
  /** What was believed then, ms since the epoch; now when absent. */
  readonly at?: number;
  /** 1 to 200. */
  readonly limit: number;
}

export interface MemoryPage {
  readonly limit: number;
  /** As an earlier page gave it. */
  readonly cursor?: string;
}

/**
 * Long-term memory. Every method binds tenant and owner by equality and throws CountersignError
 * `memory_scope_invalid` for an empty, missing or `*` scope (R46). There is no write but `propose`.
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
  /** What `recall` would give, by id. */
  find(scope: MemoryScope, id: string): Promise<Memory | undefined>;
  /** Everything that is remembered now, by key. */
  list(scope: MemoryScope, page: MemoryPage): Promise<{ items: Memory[]; nextCursor: string | null }>;
  /**
   * Removes a memory with all its versions and leaves a tombstone without content.
   * @returns false when there is none by that id in this scope
   */
  forget(scope: MemoryScope, id: string, actor: MemoryActor): Promise<boolean>;
}

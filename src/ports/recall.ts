import type { MemoryScope } from '../domain/memory/candidate';
import type { Ranked } from '../domain/memory/recall';
import type { Memory } from './memory';

export interface RecallQuestion {
  readonly text: string;
  /** What was believed then, ms since the epoch; now when absent. */
  readonly at?: number;
  /** 1 to 50. */
  readonly limit: number;
}

export interface Recalled extends Ranked {
  readonly memory: Memory;
}

export interface RecallAnswer {
  /** Best first. */
  readonly items: readonly Recalled[];
  /** What answers the question too, and was left out by the limit: the next ones by rank. */
  readonly leftOut: readonly Recalled[];
  /** Words of the question that nothing in this scope has. */
  readonly unknownWords: readonly string[];
}

/** Search in long-term memory. */
export interface Recall {
  /**
   * Memories of exactly this owner that have words or ids of the question, of those that are believed at that time: never
   * an expired or superseded one (R46, R48).
   * @throws CountersignError memory_scope_invalid
   */
  search(scope: MemoryScope, question: RecallQuestion): Promise<RecallAnswer>;
}

import type { Passage } from '../domain/context/passage';
import type { MemoryScope } from '../domain/memory/candidate';

/** What is looked up for a context beside the thread itself. */
export interface ContextSources {
  /** Memories of one owner that answer the question, best first. */
  recall(scope: MemoryScope, question: string, limit: number): Promise<readonly Passage[]>;
  /** Passages of the tenant's documents that answer the question, best first. */
  knowledge(tenant: string, question: string, limit: number): Promise<readonly Passage[]>;
}

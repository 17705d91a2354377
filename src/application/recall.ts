import type { Recall, RecallAnswer, RecallQuestion } from '../ports/recall';
import { scopeFor, type MemoryPrincipal } from './memory';

/**
 * Searches what is remembered of `owner`, by default of the caller.
 * @throws CountersignError forbidden, memory_scope_invalid
 */
export async function searchMemories(
  recall: Recall,
  principal: MemoryPrincipal,
  question: RecallQuestion,
  owner?: string,
): Promise<RecallAnswer> {
  return recall.search(scopeFor(principal, owner), question);
}

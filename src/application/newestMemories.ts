import type { ContextSources } from '../ports/contextSources';
import type { MemoryStore } from '../ports/memory';

/** Where nothing is searched: the newest memories, whatever was asked, and no documents. */
export function newestMemories(memory: MemoryStore): ContextSources {
  return {
    recall: async (scope, _question, limit) => {
      const found = await memory.recall(scope, { limit });
      return found.map(({ id, key, value, source }) => ({
        id,
        text: `${key}: ${value}`,
        source,
        score: null,
      }));
    },
    knowledge: async () => [],
  };
}

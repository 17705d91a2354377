import { sql } from 'kysely';
import { parseScope, type MemoryScope } from '../../domain/memory/candidate';
import { rankRecall } from '../../domain/memory/recall';
import type { Recall, RecallAnswer, RecallQuestion } from '../../ports/recall';
import type { Database } from './database';
import { believed, memoryOf, momentOf } from './memoryRows';
import { searchText } from './textSearch';

/** Memories that are ranked; what has less of the question than so many others is not looked at. */
const mostRanked = 200;
/** How many of those that the limit leaves out are named. */
const mostLeftOut = 20;

export class PostgresRecall implements Recall {
  constructor(private readonly database: Database) {}

  async search(scope: MemoryScope, { text, at, limit }: RecallQuestion): Promise<RecallAnswer> {
    const bound = parseScope(scope);
    return this.database.inOwner(bound.tenant, bound.owner, async (trx) => {
      const time = momentOf(at);
      const { asked, corpus, matches } = await searchText(trx, 'memory', text, time, mostRanked);
      const ids = matches.map(({ id }) => id);
      const rows = ids.length === 0 ? [] : await believed(trx, bound, at).where('id', 'in', ids).execute();
      const clock = await sql<{ now: Date }>`select ${time} as now`.execute(trx);
      const memories = new Map(rows.map((row) => [row.id, memoryOf(row)]));
      const candidates = matches.flatMap((match) => {
        const memory = memories.get(match.id);
        return memory ? [{ ...memory, ...match }] : [];
      });
      const ranked = rankRecall(candidates, asked, corpus, clock.rows[0]?.now.getTime() ?? 0);
      const recalled = ranked.flatMap((one) => {
        const memory = memories.get(one.id);
        return memory ? [{ ...one, memory }] : [];
      });
      return {
        items: recalled.slice(0, limit),
        leftOut: recalled.slice(limit, limit + mostLeftOut),
        unknownWords: asked.terms.filter(({ rows: found }) => found === 0).map(({ word }) => word),
      };
    });
  }
}

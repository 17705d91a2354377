import { sql, type Kysely } from 'kysely';
import { searchKnowledge } from './0016_recall_and_knowledge';
import { searchMemories } from './0024_pins_and_recall';

/**
 * An owner with few memories among many of others: how many each has is known of tenant and owner together, and the
 * search asks with their names as values, without which the planner has no use for that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create statistics memories_of_owners (ndistinct, mcv) on tenant, owner from memories`.execute(db);
  await searchMemories().execute(db);
  await searchKnowledge().execute(db);
}

import type { Transaction } from '../../../adapters/postgres/database';
import { sql } from 'kysely';
import { searchTokens } from '../../../domain/search/tokens';

const vocabulary = 4_000;
const wordsAValue = 14;
const rowsAStatement = 1_000;

/** Draws that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Words as language has them: few common ones, many rare ones. */
export function wordFrom(draw: number): string {
  const rank = Math.floor(vocabulary ** draw);
  return `w${rank.toString(36)}x`;
}

/** `rows` memories of a tenant, of so many owners in turn, as the store would have written them. By the owner's login. */
export async function fillMemories(
  trx: Transaction,
  { tenant, owners, rows }: { tenant: string; owners: readonly string[]; rows: number },
): Promise<void> {
  const random = seeded(7);
  for (let from = 0; from < rows; from += rowsAStatement) {
    const made = Array.from({ length: Math.min(rowsAStatement, rows - from) }, (_, i) => {
      const n = from + i;
      const words = Array.from({ length: wordsAValue }, () => wordFrom(random()));
      const value = `${words.join(' ')} ORDER-${n}`;
      const id = `${tenant}_${n}`;
      return { id, owner: owners[n % owners.length] ?? '', key: `note/${n}`, value, ...searchTokens(value) };
    });
    const json = JSON.stringify(made);
    await sql`
      with made as (
        select * from jsonb_to_recordset(${json}::jsonb) as r (id text, owner text, key text, value text, words jsonb, ids jsonb)
      ), decided as (
        insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
        select 'mdc_' || id, ${tenant}, owner, 'episodic', key, true, '{bench}', 'bench', 'bench', 'bench', 'service' from made
      )
      insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, valid_from, version,
        decision_id, words, ids)
      select 'mem_' || id, ${tenant}, owner, 'episodic', key, value, 'tool', 1, '[]', false, now() - random() * interval '300 days',
        1, 'mdc_' || id, search_vector(array(select jsonb_array_elements_text(words))),
        array(select jsonb_array_elements_text(ids))
      from made`.execute(trx);
    // Or the checks of foreign keys go on as if the tables were empty.
    if (from === 0) await sql`analyze memory_decisions, memories`.execute(trx);
  }
}

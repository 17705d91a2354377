import { randomUUID } from 'node:crypto';
import { sql, type Selectable, type UpdateQueryBuilder, type UpdateResult } from 'kysely';
import type { Hold, HoldWords } from '../../domain/memory/review';
import { pageOf } from '../../domain/page';
import type { HeldSource, MemoryHold, MemoryReviews } from '../../ports/memoryReviews';
import type { Transaction } from './database';
import type { MemoryTables } from './memoryTables';
import type { Tables } from './tables';

interface NewHold {
  readonly hold: Hold;
  readonly words: HoldWords;
  readonly actor: { readonly id: string };
  readonly sourceId?: string;
}

/** Rows of one statement stay well below the number of parameters that PostgreSQL takes. */
const chunk = 1000;

/** Those that are held already in the same way stay as they are. */
export async function addHolds(
  trx: Transaction,
  tenant: string,
  memories: readonly { readonly id: string; readonly owner: string }[],
  { hold, words, actor, sourceId }: NewHold,
): Promise<void> {
  for (let from = 0; from < memories.length; from += chunk) {
    await trx
      .insertInto('memory_holds')
      .values(
        memories.slice(from, from + chunk).map(({ id, owner }) => ({
          id: `mho_${randomUUID()}`,
          memory_id: id,
          tenant,
          owner,
          hold,
          source_id: sourceId ?? null,
          reason: words.reason,
          comment: words.comment ?? null,
          actor: actor.id,
          held_at: sql<Date>`clock_timestamp()`,
        })),
      )
      .onConflict((oc) => oc.doNothing())
      .execute();
  }
}

type Held = UpdateQueryBuilder<Tables, 'memory_holds', 'memory_holds', UpdateResult>;

/** Ends quarantines; a revocation has no end. @returns how many */
export async function endHolds(
  trx: Transaction,
  tenant: string,
  actor: { readonly id: string },
  which: (holds: Held) => Held,
): Promise<number> {
  const open = trx
    .updateTable('memory_holds')
    .set({ ended_at: sql<Date>`clock_timestamp()`, ended_by: actor.id })
    .where('tenant', '=', tenant)
    .where('hold', '=', 'quarantine')
    .where('ended_at', 'is', null);
  const { numUpdatedRows } = await which(open).executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** The quarantine that a memory is in by itself. */
export async function openHold(
  trx: Transaction,
  tenant: string,
  memoryId: string,
): Promise<MemoryHold | undefined> {
  const row = await trx
    .selectFrom('memory_holds')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('memory_id', '=', memoryId)
    .where('hold', '=', 'quarantine')
    .where('source_id', 'is', null)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  return row && holdOf(row);
}

export async function holdsOf(
  trx: Transaction,
  tenant: string,
  { limit, after, owner }: Parameters<MemoryReviews['holds']>[0],
): Promise<{ items: MemoryHold[]; next: { at: string; id: string } | null }> {
  let rows = trx
    .selectFrom('memory_holds')
    .selectAll()
    .select(sql<string>`held_at::text`.as('at'))
    .where('tenant', '=', tenant)
    .where('ended_at', 'is', null);
  if (owner !== undefined) rows = rows.where('owner', '=', owner);
  if (after) rows = rows.where(sql<boolean>`(held_at, id) > (${after.at}::timestamptz, ${after.id})`);
  const found = await rows
    .orderBy('held_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, last } = pageOf(found, limit);
  return {
    items: page.map(holdOf),
    next: last ? { at: last.at, id: last.id } : null,
  };
}

function holdOf(row: Selectable<MemoryTables['memory_holds']>): MemoryHold {
  return {
    id: row.id,
    memoryId: row.memory_id,
    owner: row.owner,
    hold: row.hold,
    sourceId: row.source_id,
    reason: row.reason,
    comment: row.comment,
    actor: row.actor,
    heldAt: row.held_at.getTime(),
  };
}

export function sourceOf(row: Selectable<MemoryTables['memory_sources']>): HeldSource {
  return {
    id: row.id,
    source: { kind: row.kind, ref: row.ref },
    hold: row.hold,
    reason: row.reason,
    comment: row.comment,
    actor: row.actor,
    heldAt: row.held_at.getTime(),
  };
}

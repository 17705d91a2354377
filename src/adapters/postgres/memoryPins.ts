import { CountersignError } from '../../domain/errors';
import type { MemoryScope } from '../../domain/memory/candidate';
import { mostPinned } from '../../domain/memory/pins';
import type { Memory } from '../../ports/memory';
import type { Transaction } from './database';
import { lockMemory } from './memoryGate';
import { believed, isPinned, memoryOf, named } from './memoryRows';

/**
 * Pins what is believed by this id, with the versions that will take its place.
 * @returns undefined where nothing is; @throws CountersignError pins_full
 */
export async function pinMemory(
  trx: Transaction,
  scope: MemoryScope,
  id: string,
  by: string,
): Promise<Memory | undefined> {
  await lockMemory(trx, scope, 'pins', '');
  // Locked, so that nobody takes it away before it is pinned, and leaves a pin of nothing.
  const row = await believed(trx, scope).where('id', '=', id).forKeyShare().executeTakeFirst();
  if (!row || row.pinned) return row && memoryOf(row);
  const pinned = await believed(trx, scope).where(isPinned('memories')).limit(mostPinned).execute();
  if (pinned.length >= mostPinned) throw new CountersignError('pins_full');
  const { tenant, owner } = scope;
  await trx
    .insertInto('memory_pins')
    .values({ tenant, owner, kind: row.kind, key: row.key, pinned_by: by })
    .onConflict((oc) => oc.doNothing())
    .execute();
  return memoryOf({ ...row, pinned: true });
}

/** @returns false when no version of any memory has this id */
export async function unpinMemory(trx: Transaction, scope: MemoryScope, id: string): Promise<boolean> {
  const memory = await named(trx, scope, id);
  if (!memory) return false;
  await trx
    .deleteFrom('memory_pins')
    .where('tenant', '=', scope.tenant)
    .where('owner', '=', scope.owner)
    .where('kind', '=', memory.kind)
    .where('key', '=', memory.key)
    .execute();
  return true;
}

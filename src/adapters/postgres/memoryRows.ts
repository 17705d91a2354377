import { randomUUID } from 'node:crypto';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { searchTokens } from '../../domain/search/tokens';
import type { MemoryScope } from '../../domain/memory/candidate';
import { fadesAfterMs } from '../../domain/memory/decay';
import type { Screened } from '../../domain/memory/gate';
import type { Memory } from '../../ports/memory';
import type { Transaction } from './database';
import type { MemoryTables } from './memoryTables';

export type MemoryRow = Selectable<MemoryTables['memories']> & { readonly pinned: boolean };

/** Whether the memory of a row is pinned, which it is with all its versions. */
export function isPinned(row: 'memories' | 'm'): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${row}.${column}`);
  return sql<boolean>`exists (select from memory_pins p where p.tenant = ${of('tenant')} and p.owner = ${of('owner')}
    and p.kind = ${of('kind')} and p.key = ${of('key')})`;
}

/** The newest version under one key, believed or not. */
export interface LiveRow {
  readonly id: string;
  readonly version: number;
  readonly source: MemoryRow['source'];
  /** Neither expired, faded nor revoked. What is in quarantine stands until that is decided. */
  readonly standing: boolean;
}

export async function liveRow(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  kind: MemoryRow['kind'],
  key: string,
): Promise<LiveRow | undefined> {
  return trx
    .selectFrom('memories')
    .select(['id', 'version', 'source'])
    .select(
      sql<boolean>`coalesce(expires_at > clock_timestamp(), true) and coalesce(fades_at > clock_timestamp(), true)
        and not exists (select 1 from memory_holds h where h.memory_id = memories.id and h.hold = 'revocation')`.as(
        'standing',
      ),
    )
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('valid_to', 'is', null)
    .executeTakeFirst();
}

/** Of which memory `id` is a version, believed or not. */
export function named(trx: Transaction, { tenant, owner }: MemoryScope, id: string) {
  return trx
    .selectFrom('memories')
    .select(['kind', 'key', 'source', 'personal'])
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Closes what was believed before and links it to what is believed now. @returns the new row's id */
export async function writeMemory(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  { candidate, personal }: Screened,
  decisionId: string,
  live: LiveRow | undefined,
): Promise<string> {
  const id = `mem_${randomUUID()}`;
  const { words, ids } = searchTokens(`${candidate.key} ${candidate.value}`);
  const clock = await sql<{ now: string }>`select greatest(clock_timestamp(),
    (select valid_from from memories where id = ${live?.id ?? null}))::text as now`.execute(trx);
  const now = clock.rows[0]?.now ?? '';
  if (live) {
    await trx
      .updateTable('memories')
      .set({ valid_to: now, superseded_by: id })
      .where('id', '=', live.id)
      .where('tenant', '=', tenant)
      .where('owner', '=', owner)
      .execute();
  }
  const fadesAfter = fadesAfterMs(candidate.source, candidate.confidence);
  await trx
    .insertInto('memories')
    .values({
      id,
      tenant,
      owner,
      kind: candidate.kind,
      key: candidate.key,
      value: candidate.value,
      source: candidate.source,
      confidence: candidate.confidence,
      evidence: JSON.stringify(candidate.evidence),
      personal,
      valid_from: now,
      expires_at: candidate.expiresAt ?? null,
      fades_at:
        fadesAfter === null
          ? null
          : sql<Date>`${now}::timestamptz + ${fadesAfter} * interval '1 millisecond'`,
      version: (live?.version ?? 0) + 1,
      decision_id: decisionId,
      words: sql<string>`search_vector(${words})`,
      ids: [...ids],
    })
    .execute();
  return id;
}

const now = sql<Date>`clock_timestamp()`;

/** `at` in ms since the epoch, or now. Times are shown in ms: what began within that one counts. */
export function momentOf(at?: number): RawBuilder<Date> {
  return at === undefined ? now : sql<Date>`${new Date(at)}::timestamptz + interval '999 microseconds'`;
}

/**
 * The rows that were believed at `at` (ms since the epoch), or are now: neither replaced, expired, faded, in quarantine
 * nor revoked (R48). Every reader of memories starts here.
 */
export function believed(trx: Transaction, scope: MemoryScope, at?: number) {
  const time = momentOf(at);
  return inForce(trx, scope, time).where((row) =>
    row.or([row('fades_at', 'is', null), row('fades_at', '>', time)]),
  );
}

/** What would be believed if it had not faded: it waits for its owner to confirm it. */
export function faded(trx: Transaction, scope: MemoryScope) {
  return inForce(trx, scope, now).where('fades_at', '<=', now);
}

/** Believed or faded now: what can be confirmed or corrected. */
export function correctable(trx: Transaction, scope: MemoryScope) {
  return inForce(trx, scope, now);
}

function inForce(trx: Transaction, { tenant, owner }: MemoryScope, time: RawBuilder<Date>) {
  return trx
    .selectFrom('memories')
    .selectAll('memories')
    .select(isPinned('memories').as('pinned'))
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('valid_from', '<=', time)
    .where((row) => row.or([row('valid_to', 'is', null), row('valid_to', '>', time)]))
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', time)]))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('memory_holds as h')
            .select('h.id')
            .whereRef('h.memory_id', '=', 'memories.id')
            .where('h.held_at', '<=', time)
            .where((hold) => hold.or([hold('h.ended_at', 'is', null), hold('h.ended_at', '>', time)])),
        ),
      ),
    );
}

export function memoryOf(row: MemoryRow): Memory {
  return {
    id: row.id,
    kind: row.kind,
    key: row.key,
    value: row.value,
    source: row.source,
    confidence: row.confidence,
    evidence: row.evidence,
    personal: row.personal,
    pinned: row.pinned,
    createdAt: row.created_at.getTime(),
    validFrom: row.valid_from.getTime(),
    validTo: row.valid_to?.getTime() ?? null,
    supersededBy: row.superseded_by,
    expiresAt: row.expires_at?.getTime() ?? null,
    fadesAt: row.fades_at?.getTime() ?? null,
    version: row.version,
    decisionId: row.decision_id,
  };
}

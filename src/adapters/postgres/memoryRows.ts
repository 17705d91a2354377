import { randomUUID } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import type { MemoryCandidate, MemoryScope } from '../../domain/memory/candidate';
import { searchTokens } from '../../domain/search/tokens';
import type { Memory } from '../../ports/memory';
import type { Transaction } from './database';
import type { MemoryTables } from './memoryTables';

type Row = Selectable<MemoryTables['memories']>;

/** What is believed now under one key, also when it has expired. */
export interface LiveRow {
  readonly id: string;
  readonly version: number;
  readonly source: Row['source'];
  readonly expired: boolean;
}

export async function liveRow(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  kind: Row['kind'],
  key: string,
): Promise<LiveRow | undefined> {
  return trx
    .selectFrom('memories')
    .select(['id', 'version', 'source'])
    .select(sql<boolean>`coalesce(expires_at <= clock_timestamp(), false)`.as('expired'))
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('valid_to', 'is', null)
    .executeTakeFirst();
}

/** Closes what was believed before and links it to what is believed now. @returns the new row's id */
export async function writeMemory(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  { candidate, personal }: { candidate: MemoryCandidate; personal: boolean },
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
      version: (live?.version ?? 0) + 1,
      decision_id: decisionId,
      words: sql<string>`search_vector(${words})`,
      ids: [...ids],
    })
    .execute();
  return id;
}

/** The rows that were believed at `at` (ms since the epoch), or are now: neither replaced nor expired (R48). */
export function believed(trx: Transaction, { tenant, owner }: MemoryScope, at?: number) {
  const time = at === undefined ? sql<Date>`clock_timestamp()` : sql<Date>`${new Date(at)}::timestamptz`;
  return trx
    .selectFrom('memories')
    .selectAll()
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('valid_from', '<=', time)
    .where((row) => row.or([row('valid_to', 'is', null), row('valid_to', '>', time)]))
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', time)]));
}

export function memoryOf(row: Row): Memory {
  return {
    id: row.id,
    kind: row.kind,
    key: row.key,
    value: row.value,
    source: row.source,
    confidence: row.confidence,
    evidence: row.evidence,
    personal: row.personal,
    createdAt: row.created_at.getTime(),
    validFrom: row.valid_from.getTime(),
    validTo: row.valid_to?.getTime() ?? null,
    supersededBy: row.superseded_by,
    expiresAt: row.expires_at?.getTime() ?? null,
    version: row.version,
    decisionId: row.decision_id,
  };
}

const cursorShape = z.tuple([z.string(), z.string()]);

/** Where a list goes on: after this key and kind. */
export function writeCursor({ key, kind }: Memory): string {
  return Buffer.from(JSON.stringify([key, kind])).toString('base64url');
}

/** @throws CountersignError invalid_request for a cursor that no page gave */
export function readCursor(cursor: string): { key: string; kind: string } {
  try {
    const [key, kind] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (!key.includes('\0') && !kind.includes('\0')) return { key, kind };
  } catch {
    // Answered below.
  }
  throw new CountersignError('invalid_request', 'That cursor is not one of this list.');
}

import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { ProviderDatabase } from './database';
import { faultView } from './faultKinds';
import type { FaultKind, FaultRequest, TakenFault } from './faultKinds';
import type { FaultRow, ProviderTables } from './schema';

/** What a fault is matched against. */
export interface FaultSubject {
  readonly method?: string;
  readonly path?: string;
  readonly idempotencyKey?: string | null;
  readonly payments?: readonly string[];
  readonly event?: string;
}

/**
 * The faults that were asked for. Rows are the truth and survive a restart; the copy in memory is what a call
 * without faults pays nothing for. One provider process owns a database, so the copy can't go stale.
 */
export class FaultBook {
  private active: FaultRow[] = [];

  constructor(private readonly db: ProviderDatabase) {}

  async load(): Promise<void> {
    const rows = await this.db.selectFrom('faults').selectAll().orderBy('id').execute();
    this.active = rows.filter((row) => row.remaining !== 0);
  }

  async add(request: FaultRequest, atMs: number): Promise<Record<string, unknown>> {
    const { kind, match, times, probability, seed, ...settings } = request;
    const row = await this.db
      .insertInto('faults')
      .values({
        kind,
        method: match.method ?? null,
        path: match.path ?? null,
        idempotency_key: match.idempotencyKey ?? null,
        payment: match.payment ?? null,
        event: match.event ?? null,
        remaining: times === undefined ? (probability === undefined ? 1 : null) : times,
        probability: probability ?? null,
        seed: seed ?? null,
        settings: JSON.stringify(settings),
        created_ms: atMs,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    this.active.push(row);
    return faultView(row);
  }

  async list(): Promise<Record<string, unknown>[]> {
    return (await this.db.selectFrom('faults').selectAll().orderBy('id').execute()).map(faultView);
  }

  /** Removes one fault, or all of them; answers how many there were. */
  async clear(id?: number): Promise<number> {
    const query = this.db.deleteFrom('faults');
    const result = await (id === undefined ? query : query.where('id', '=', id)).executeTakeFirst();
    this.active = id === undefined ? [] : this.active.filter((row) => row.id !== id);
    return Number(result.numDeletedRows);
  }

  /**
   * Takes the faults of these kinds that apply to this subject, at most one of each kind, and writes down that
   * they were taken before anything comes of them.
   */
  async take(
    kinds: readonly FaultKind[],
    subject: FaultSubject,
    db: Kysely<ProviderTables> = this.db,
  ): Promise<TakenFault[]> {
    if (this.active.length === 0) return [];
    const taken: TakenFault[] = [];
    const touched: FaultRow[] = [];
    for (const row of this.active) {
      const kind = kinds.find((candidate) => candidate === row.kind);
      if (kind === undefined || row.remaining === 0 || !applies(row, subject)) continue;
      if (taken.some((fault) => fault.kind === kind)) continue;
      touched.push(row);
      row.considered += 1;
      if (!diceHit(row)) continue;
      row.hits += 1;
      if (row.remaining !== null) row.remaining -= 1;
      taken.push({ id: row.id, kind, settings: row.settings });
    }
    this.active = this.active.filter((row) => row.remaining !== 0);
    for (const { id, considered, hits, remaining } of touched) {
      await db
        .updateTable('faults')
        .set({ considered, hits, remaining })
        // Two calls may write at once: the one that counted further wins.
        .where((where) => where.and([where('id', '=', id), where('considered', '<', considered)]))
        .execute();
    }
    return taken;
  }
}

function applies(row: FaultRow, subject: FaultSubject): boolean {
  return (
    (row.method === null || row.method === subject.method) &&
    (row.path === null || matches(row.path, subject.path)) &&
    (row.idempotency_key === null || row.idempotency_key === subject.idempotencyKey) &&
    (row.payment === null || (subject.payments ?? []).includes(row.payment)) &&
    (row.event === null || matches(row.event, subject.event))
  );
}

function matches(pattern: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const literal = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`).test(value);
}

/** A die that a seed and the number of the call decide, so that a run can be repeated. */
function diceHit(row: FaultRow): boolean {
  if (row.probability === null) return true;
  const digest = createHash('sha256')
    .update(`${row.seed ?? String(row.id)}:${String(row.considered)}`)
    .digest();
  return digest.readUInt32BE(0) / 2 ** 32 < row.probability;
}

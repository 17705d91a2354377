import { sql } from 'kysely';
import { CountersignError } from '../../domain/errors';
import { parseScope, sourceRank, type MemoryScope } from '../../domain/memory/candidate';
import { judgeCandidate, outranked, type Judgement, type MemoryActor } from '../../domain/memory/gate';
import { refusedKinds } from '../../domain/screening/screen';
import type {
  Memory,
  MemoryDecision,
  MemoryPage,
  MemoryQuery,
  MemoryStore,
  ProposeOptions,
} from '../../ports/memory';
import type { Database, Transaction } from './database';
import { answer, decisionByRequest, recordDecision } from './memoryDecisions';
import { believed, liveRow, memoryOf, readCursor, writeCursor, writeMemory } from './memoryRows';

const largestPage = 200;

export class PostgresMemories implements MemoryStore {
  constructor(private readonly database: Database) {}

  async propose(
    candidate: unknown,
    actor: MemoryActor,
    options: ProposeOptions = {},
  ): Promise<MemoryDecision> {
    const { requestKey, expectedVersion } = options;
    if (requestKey !== undefined) checkRequestKey(requestKey);
    const scope = scopeOfRecord(candidate, actor);
    return this.database.inOwner(scope.tenant, scope.owner, async (trx) => {
      if (requestKey !== undefined) {
        await lock(trx, scope, 'request', requestKey);
        const earlier = await decisionByRequest(trx, scope, requestKey);
        if (earlier) return earlier;
      }
      const record = (judgement: Judgement): Promise<string> =>
        recordDecision(trx, { scope, actor, candidate, judgement, requestKey });

      const judgement = judgeCandidate(candidate, { actor });
      if (!judgement.write) return answer(await record(judgement), judgement, null);
      const { kind, key, source } = judgement.write.candidate;
      await lock(trx, scope, kind, key);
      const live = await liveRow(trx, scope, kind, key);
      if (expectedVersion !== undefined && expectedVersion !== (live?.version ?? 0)) {
        throw new CountersignError('version_conflict');
      }
      if (live && !live.expired && sourceRank[source] < sourceRank[live.source]) {
        return answer(await record(outranked), outranked, null);
      }
      const decisionId = await record(judgement);
      return answer(decisionId, judgement, await writeMemory(trx, scope, judgement.write, decisionId, live));
    });
  }

  async recall(scope: MemoryScope, query: MemoryQuery): Promise<Memory[]> {
    return this.read(scope, async (trx, bound) => {
      let rows = believed(trx, bound, query.at);
      if (query.kind !== undefined) rows = rows.where('kind', '=', query.kind);
      if (query.key !== undefined) rows = rows.where('key', '=', query.key);
      const limited = rows.orderBy('valid_from', 'desc').orderBy('id').limit(pageSize(query.limit));
      return (await limited.execute()).map(memoryOf);
    });
  }

  async find(scope: MemoryScope, id: string): Promise<Memory | undefined> {
    return this.read(scope, async (trx, bound) => {
      const row = await believed(trx, bound).where('id', '=', id).executeTakeFirst();
      return row && memoryOf(row);
    });
  }

  async list(scope: MemoryScope, page: MemoryPage): Promise<{ items: Memory[]; nextCursor: string | null }> {
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
    const size = pageSize(page.limit);
    return this.read(scope, async (trx, bound) => {
      let rows = believed(trx, bound);
      if (after) rows = rows.where(sql<boolean>`(key, kind) > (${after.key}, ${after.kind})`);
      const found = await rows
        .orderBy('key')
        .orderBy('kind')
        .limit(size + 1)
        .execute();
      const items = found.slice(0, size).map(memoryOf);
      const last = items.at(-1);
      return { items, nextCursor: found.length > size && last ? writeCursor(last) : null };
    });
  }

  async forget(scope: MemoryScope, id: string, actor: MemoryActor): Promise<boolean> {
    return this.read(scope, async (trx, { tenant, owner }) => {
      const mine = trx.selectFrom('memories').where('tenant', '=', tenant).where('owner', '=', owner);
      const named = await mine.where('id', '=', id).select(['kind', 'key']).executeTakeFirst();
      if (!named) return false;
      await lock(trx, { tenant, owner }, named.kind, named.key);
      const { numDeletedRows } = await trx
        .deleteFrom('memories')
        .where('tenant', '=', tenant)
        .where('owner', '=', owner)
        .where('kind', '=', named.kind)
        .where('key', '=', named.key)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx
        .insertInto('memory_tombstones')
        .values({ memory_id: id, tenant, owner, versions: Number(numDeletedRows), actor: actor.id })
        .execute();
      return true;
    });
  }

  private async read<T>(
    scope: MemoryScope,
    work: (trx: Transaction, bound: MemoryScope) => Promise<T>,
  ): Promise<T> {
    const bound = parseScope(scope);
    return this.database.inOwner(bound.tenant, bound.owner, (trx) => work(trx, bound));
  }
}

/** A person's attempt on somebody else's memory is recorded with that person, not with the other. */
function scopeOfRecord(candidate: unknown, actor: MemoryActor): MemoryScope {
  const { tenantId, ownerId } = (candidate ?? {}) as { tenantId?: unknown; ownerId?: unknown };
  const scope = parseScope({ tenant: tenantId, owner: ownerId });
  if (scope.tenant !== actor.tenant) throw new CountersignError('memory_scope_invalid');
  return actor.kind === 'person' ? { tenant: actor.tenant, owner: actor.id } : scope;
}

function checkRequestKey(requestKey: string): void {
  if (!/^[!-~]{1,255}$/.test(requestKey) || refusedKinds(requestKey).length > 0) {
    throw new CountersignError('invalid_request', 'The request key is not 1 to 255 visible characters.');
  }
}

/** Writers of one memory, or of one request, go one after another until the transaction ends. */
async function lock(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  what: string,
  name: string,
): Promise<void> {
  const subject = JSON.stringify([tenant, owner, what, name]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 11))`.execute(trx);
}

function pageSize(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), largestPage);
}

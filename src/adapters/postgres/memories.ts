import { sql } from 'kysely';
import { CountersignError } from '../../domain/errors';
import { parseScope, type MemoryScope } from '../../domain/memory/candidate';
import type { MemoryFacts } from '../../domain/memory/facts';
import {
  judgeCandidate,
  speaksAsOperator,
  type GatePolicy,
  type MemoryActor,
} from '../../domain/memory/gate';
import { pageOf } from '../../domain/page';
import { refuseUnlessPermitted } from '../../domain/policy/authorization';
import { refusedKinds } from '../../domain/screening/screen';
import type { Authorization } from '../../ports/authorization';
import type {
  Memory,
  MemoryDecision,
  MemoryPage,
  MemoryPosition,
  MemoryQuery,
  MemoryStore,
  MemoryVersion,
  ProposeOptions,
} from '../../ports/memory';
import type { Database, Transaction } from './database';
import { decisionByRequest } from './memoryDecisions';
import { lockMemory, passGate } from './memoryGate';
import { pinMemory, unpinMemory } from './memoryPins';
import { believed, correctable, faded, isPinned, memoryOf, named } from './memoryRows';
import { pageOfVersions, versionsOf } from './memoryVersions';
import { PostgresPolicies } from './policies';

const largestPage = 200;

export class PostgresMemories implements MemoryStore {
  constructor(
    private readonly database: Database,
    private readonly authorization: Authorization,
  ) {}

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
        await lockMemory(trx, scope, 'request', requestKey);
        const earlier = await decisionByRequest(trx, scope, requestKey);
        if (earlier) return earlier;
      }
      const judgement = judgeCandidate(candidate, { actor }, await this.policy(trx, scope.tenant));
      return passGate(trx, { scope, actor, candidate, requestKey, expectedVersion }, judgement);
    });
  }

  async recall(scope: MemoryScope, query: MemoryQuery): Promise<Memory[]> {
    return this.read(scope, async (trx, bound) => {
      let rows = believed(trx, bound, query.at);
      if (query.kind !== undefined) rows = rows.where('kind', '=', query.kind);
      if (query.key !== undefined) rows = rows.where('key', '=', query.key);
      if (query.pinned) rows = rows.where(isPinned('memories'));
      const limited = rows.orderBy('valid_from', 'desc').orderBy('id').limit(pageSize(query.limit));
      return (await limited.execute()).map(memoryOf);
    });
  }

  async find(scope: MemoryScope, id: string, at?: number): Promise<Memory | undefined> {
    return this.read(scope, async (trx, bound) => {
      const row = await believed(trx, bound, at).where('id', '=', id).executeTakeFirst();
      return row && memoryOf(row);
    });
  }

  async list(
    scope: MemoryScope,
    { limit, at, faded: ofThose, after }: MemoryPage,
  ): Promise<{ items: Memory[]; next: MemoryPosition | null }> {
    const size = pageSize(limit);
    return this.read(scope, async (trx, bound) => {
      let rows = ofThose ? faded(trx, bound) : believed(trx, bound, at);
      if (after) rows = rows.where(sql<boolean>`(key, kind) > (${after.key}, ${after.kind})`);
      const found = await rows
        .orderBy('key')
        .orderBy('kind')
        .limit(size + 1)
        .execute();
      const { page, last } = pageOf(found, size);
      return { items: page.map(memoryOf), next: last ? { key: last.key, kind: last.kind } : null };
    });
  }

  async current(scope: MemoryScope, id: string): Promise<Memory | undefined> {
    return this.read(scope, async (trx, bound) => {
      const row = await correctable(trx, bound).where('id', '=', id).executeTakeFirst();
      if (row) return memoryOf(row);
      const [newest] = await versionsOf(trx, bound, id);
      if (newest && newest.id !== id) {
        throw new CountersignError('version_conflict', undefined, { currentVersion: newest.version });
      }
      return undefined;
    });
  }

  async history(scope: MemoryScope, id: string): Promise<MemoryVersion[]> {
    return this.read(scope, (trx, bound) => versionsOf(trx, bound, id));
  }

  async *export(scope: MemoryScope): AsyncGenerator<MemoryVersion> {
    let after: MemoryVersion | undefined;
    for (;;) {
      const from = after;
      const { items, last } = await this.read(scope, (trx, bound) => pageOfVersions(trx, bound, from));
      yield* items;
      after = items.at(-1);
      if (last) return;
    }
  }

  async pin(scope: MemoryScope, id: string, actor: MemoryActor): Promise<Memory | undefined> {
    return this.read(scope, (trx, bound) => pinMemory(trx, bound, id, actor.id));
  }

  async unpin(scope: MemoryScope, id: string): Promise<boolean> {
    return this.read(scope, (trx, bound) => unpinMemory(trx, bound, id));
  }

  async forget(
    scope: MemoryScope,
    id: string,
    actor: MemoryActor,
    expectedVersion?: number,
  ): Promise<boolean> {
    return this.read(scope, async (trx, { tenant, owner }) => {
      const facts = await named(trx, { tenant, owner }, id);
      if (!facts) return false;
      await this.checkMayForget(trx, actor, { tenant, owner, ...facts });
      await lockMemory(trx, { tenant, owner }, facts.kind, facts.key);
      if (expectedVersion !== undefined) {
        const [newest] = await versionsOf(trx, { tenant, owner }, id);
        if (newest && newest.version !== expectedVersion) {
          throw new CountersignError('version_conflict', undefined, { currentVersion: newest.version });
        }
      }
      const { numDeletedRows } = await trx
        .deleteFrom('memories')
        .where('tenant', '=', tenant)
        .where('owner', '=', owner)
        .where('kind', '=', facts.kind)
        .where('key', '=', facts.key)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await trx
        .insertInto('memory_tombstones')
        .values({ memory_id: id, tenant, owner, versions: Number(numDeletedRows), actor: actor.id })
        .execute();
      return true;
    });
  }

  private async checkMayForget(trx: Transaction, actor: MemoryActor, memory: MemoryFacts): Promise<void> {
    const { ask } = await this.policy(trx, memory.tenant);
    const who = { ...actor, groups: actor.groups ?? [] };
    refuseUnlessPermitted(ask({ who, action: 'forget', memory }), 'no rule lets this identity forget that');
  }

  private async policy(trx: Transaction, tenant: string): Promise<GatePolicy> {
    const newest = await new PostgresPolicies(trx, tenant).newest();
    return { version: newest.version, ask: this.authorization.under(newest) };
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
  const { tenantId, ownerId, source } = (candidate ?? {}) as Record<string, unknown>;
  const scope = parseScope({ tenant: tenantId, owner: ownerId });
  if (scope.tenant !== actor.tenant) throw new CountersignError('memory_scope_invalid');
  const ofOthers = actor.kind !== 'person' || speaksAsOperator({ source, ownerId: scope.owner }, actor);
  return ofOthers ? scope : { tenant: actor.tenant, owner: actor.id };
}

function checkRequestKey(requestKey: string): void {
  if (!/^[!-~]{1,255}$/.test(requestKey) || refusedKinds(requestKey).length > 0) {
    throw new CountersignError('invalid_request', 'The request key is not 1 to 255 visible characters.');
  }
}

function pageSize(limit: number): number {
  return Math.min(Math.max(Math.trunc(limit) || 1, 1), largestPage);
}

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { parseScope, type MemoryScope } from '../../domain/memory/candidate';
import { comesFrom, type Evidence } from '../../domain/memory/evidence';
import { judgeApproved, type GatePolicy, type MemoryActor } from '../../domain/memory/gate';
import type { Hold, HoldWords, SourceHold } from '../../domain/memory/review';
import type { MemoryDecision } from '../../ports/memory';
import type {
  HeldSource,
  MemoryHold,
  MemoryReviews,
  QueuePage,
  ReviewedCandidate,
  SourceHoldReport,
} from '../../ports/memoryReviews';
import type { Transaction } from './database';
import { candidateForChange, candidatesById, close, proposedOf, queueOf } from './memoryCandidates';
import { lockMemory, lockSources, passGate } from './memoryGate';
import { addHolds, endHolds, holdsOf, openHold, sourceOf } from './memoryHolds';
import { named } from './memoryRows';

export class PostgresMemoryReviews implements MemoryReviews {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  queue(page: QueuePage) {
    return queueOf(this.trx, this.tenant, page);
  }

  async candidate(id: string): Promise<ReviewedCandidate | undefined> {
    const { trx, tenant } = this;
    // In the order of whoever proposes or holds a source, so that nobody waits for the other.
    await lockSources(trx, tenant, 'shared');
    const [named] = await candidatesById(trx, tenant, [id]);
    if (named) await lockMemory(trx, { tenant, owner: named.owner }, named.kind, named.key);
    return candidateForChange(this.trx, this.tenant, id);
  }

  async approve(
    reviewed: ReviewedCandidate,
    reviewer: MemoryActor,
    policy: GatePolicy,
    comment: string | undefined,
  ): Promise<MemoryDecision> {
    const scope = await this.bindTo(reviewed.owner);
    const candidate = proposedOf(this.tenant, reviewed);
    const submission = {
      scope,
      actor: reviewer,
      candidate,
      requestKey: undefined,
      expectedVersion: undefined,
    };
    const decision = await passGate(this.trx, submission, judgeApproved(candidate, policy));
    await close(this.trx, decision.allowed ? 'approved' : 'rejected', reviewer.id)
      .set({ comment: comment ?? null, memory_id: decision.memoryId })
      .where('tenant', '=', this.tenant)
      .where('id', '=', reviewed.id)
      .execute();
    return decision;
  }

  async close(
    { id }: Pick<ReviewedCandidate, 'id'>,
    status: 'rejected' | 'expired' | 'revoked',
    by: string | null,
    comment?: string,
  ): Promise<void> {
    await close(this.trx, status, by)
      .set({ comment: comment ?? null })
      .where('tenant', '=', this.tenant)
      .where('id', '=', id)
      .execute();
  }

  holds(page: Parameters<MemoryReviews['holds']>[0]) {
    return holdsOf(this.trx, this.tenant, page);
  }

  async quarantine(
    scope: MemoryScope,
    memoryId: string,
    words: HoldWords,
    actor: { id: string },
  ): Promise<MemoryHold | undefined> {
    const { tenant, owner } = await this.bindTo(scope.owner);
    const row = await named(this.trx, { tenant, owner }, memoryId);
    if (!row) return undefined;
    await lockMemory(this.trx, { tenant, owner }, row.kind, row.key);
    await addHolds(this.trx, tenant, [{ id: memoryId, owner }], { hold: 'quarantine', words, actor });
    return openHold(this.trx, tenant, memoryId);
  }

  async release(scope: MemoryScope, memoryId: string, actor: { id: string }): Promise<boolean> {
    const { owner } = await this.bindTo(scope.owner);
    const released = await endHolds(this.trx, this.tenant, actor, (holds) =>
      holds.where('memory_id', '=', memoryId).where('owner', '=', owner).where('source_id', 'is', null),
    );
    return released > 0;
  }

  async sources(): Promise<HeldSource[]> {
    const rows = await this.trx
      .selectFrom('memory_sources')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('ended_at', 'is', null)
      .orderBy('held_at')
      .orderBy('id')
      .execute();
    return rows.map(sourceOf);
  }

  async holdSource(
    hold: Hold,
    { source, reason, comment }: SourceHold,
    actor: { id: string },
  ): Promise<SourceHoldReport> {
    const { trx, tenant } = this;
    await lockSources(trx, tenant, 'exclusive');
    await trx
      .insertInto('memory_sources')
      .values({
        id: `msr_${randomUUID()}`,
        tenant,
        ...{ kind: source.kind, ref: source.ref, hold, reason, comment: comment ?? null, actor: actor.id },
      })
      .onConflict((oc) =>
        oc.columns(['tenant', 'kind', 'ref', 'hold']).where('ended_at', 'is', null).doNothing(),
      )
      .execute();
    const held = sourceOf(
      await trx
        .selectFrom('memory_sources')
        .selectAll()
        .where('tenant', '=', tenant)
        .where('kind', '=', source.kind)
        .where('ref', '=', source.ref)
        .where('hold', '=', hold)
        .where('ended_at', 'is', null)
        .executeTakeFirstOrThrow(),
    );
    const learnt = await sql<{ id: string; owner: string; live: boolean }>`
      select id, owner, live from memories_learnt_from(${source.kind}, ${source.ref})`.execute(trx);
    const words = { reason, comment };
    await addHolds(trx, tenant, learnt.rows, { hold, words, actor, sourceId: held.id });
    return {
      ...held,
      versions: learnt.rows.length,
      owners: new Set(learnt.rows.map(({ owner }) => owner)).size,
      live: learnt.rows.filter(({ live }) => live).length,
      candidates: hold === 'revocation' ? await this.revokeCandidates(source, actor.id) : 0,
    };
  }

  async releaseSource(
    source: Evidence,
    actor: { id: string },
  ): Promise<{ id: string; released: number } | undefined> {
    const { trx, tenant } = this;
    await lockSources(trx, tenant, 'exclusive');
    const ended = await trx
      .updateTable('memory_sources')
      .set({ ended_at: sql<Date>`clock_timestamp()`, ended_by: actor.id })
      .where('tenant', '=', tenant)
      .where('kind', '=', source.kind)
      .where('ref', '=', source.ref)
      .where('ended_at', 'is', null)
      .returning('id')
      .execute();
    const [first] = ended;
    if (!first) return undefined;
    const ids = ended.map(({ id }) => id);
    const released = await endHolds(trx, tenant, actor, (holds) => holds.where('source_id', 'in', ids));
    return { id: first.id, released };
  }

  private async revokeCandidates(source: Evidence, by: string): Promise<number> {
    const waiting = await this.trx
      .selectFrom('memory_candidates')
      .select(['id', 'evidence'])
      .where('tenant', '=', this.tenant)
      .where('status', '=', 'waiting')
      .forUpdate()
      .execute();
    const ids = waiting
      .filter(({ evidence }) => evidence.some((item) => comesFrom(item, source)))
      .map(({ id }) => id);
    if (ids.length === 0) return 0;
    await close(this.trx, 'revoked', by).where('tenant', '=', this.tenant).where('id', 'in', ids).execute();
    return ids.length;
  }

  /** Memories are bound to one owner by row-level security, within the tenant of this transaction. */
  private async bindTo(owner: string): Promise<MemoryScope> {
    const scope = parseScope({ tenant: this.tenant, owner });
    await sql`select set_config('countersign.owner', ${owner}, true)`.execute(this.trx);
    return scope;
  }
}

import { sql } from 'kysely';
import { CountersignError } from '../../domain/errors';
import { sourceRank, type MemoryScope } from '../../domain/memory/candidate';
import { lineage, type Evidence } from '../../domain/memory/evidence';
import { refusedBy, type Judgement, type MemoryActor } from '../../domain/memory/gate';
import type { MemoryDecision } from '../../ports/memory';
import type { Transaction } from './database';
import { keepCandidate } from './memoryCandidates';
import { answer, recordDecision } from './memoryDecisions';
import { liveRow, writeMemory } from './memoryRows';

/** A candidate on its way, with what only the store can say of it. */
export interface Submission {
  readonly scope: MemoryScope;
  readonly actor: MemoryActor;
  readonly candidate: unknown;
  readonly requestKey: string | undefined;
  readonly expectedVersion: number | undefined;
}

/**
 * What comes of a judgement: the decision on record, and with it the memory, the candidate that waits, or nothing. The
 * one path by which a memory is written (R42). @throws CountersignError version_conflict
 */
export async function passGate(
  trx: Transaction,
  submission: Submission,
  judgement: Judgement,
): Promise<MemoryDecision> {
  const { scope, expectedVersion } = submission;
  const record = (outcome: Judgement): Promise<string> =>
    recordDecision(trx, { ...submission, judgement: outcome });
  const screened = judgement.write ?? judgement.wait;
  if (!screened) return answer(await record(judgement), judgement);

  const { kind, key, source, evidence } = screened.candidate;
  await lockSources(trx, scope.tenant, 'shared');
  const hold = await heldSource(trx, scope.tenant, evidence);
  if (hold) {
    const refused = refusedBy(hold === 'revocation' ? 'source.revoked' : 'source.quarantined', judgement);
    return answer(await record(refused), refused);
  }
  await lockMemory(trx, scope, kind, key);
  const live = await liveRow(trx, scope, kind, key);
  if (expectedVersion !== undefined && expectedVersion !== (live?.version ?? 0)) {
    throw new CountersignError('version_conflict', undefined, { currentVersion: live?.version ?? 0 });
  }
  if (judgement.wait) {
    const decisionId = await record(judgement);
    const { actor } = submission;
    const candidateId = await keepCandidate(trx, scope, actor, judgement.wait, decisionId, judgement.ruleIds);
    return answer(decisionId, judgement, { candidateId });
  }
  if (live?.standing && sourceRank[source] < sourceRank[live.source]) {
    const outranked = refusedBy('conflict.outranked', judgement);
    return answer(await record(outranked), outranked);
  }
  const decisionId = await record(judgement);
  return answer(decisionId, judgement, {
    memoryId: await writeMemory(trx, scope, screened, decisionId, live),
  });
}

async function heldSource(
  trx: Transaction,
  tenant: string,
  evidence: readonly Evidence[],
): Promise<'quarantine' | 'revocation' | undefined> {
  const named = evidence.flatMap(({ kind, ref }) => lineage(ref).map((above) => ({ kind, ref: above })));
  if (named.length === 0) return undefined;
  const row = await trx
    .selectFrom('memory_sources')
    .select('hold')
    .where('tenant', '=', tenant)
    .where('ended_at', 'is', null)
    .where(
      sql<boolean>`(kind, ref) in (select * from unnest(${named.map(({ kind }) => kind)}::text[], ${named.map(({ ref }) => ref)}::text[]))`,
    )
    .orderBy('hold', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.hold;
}

/** Candidates pass side by side; while a source is being held, none does, so that nothing learnt from it slips in. */
export async function lockSources(
  trx: Transaction,
  tenant: string,
  mode: 'shared' | 'exclusive',
): Promise<void> {
  const lock = sql.raw(mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock');
  await sql`select ${lock}(hashtextextended(${JSON.stringify([tenant, 'sources'])}, 11))`.execute(trx);
}

/** Writers of one memory, or of one request, go one after another until the transaction ends. */
export async function lockMemory(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  what: string,
  name: string,
): Promise<void> {
  const subject = JSON.stringify([tenant, owner, what, name]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 11))`.execute(trx);
}

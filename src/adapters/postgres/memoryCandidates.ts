import { createHash, randomUUID } from 'node:crypto';
import { sql, type ExpressionBuilder, type Selectable } from 'kysely';
import type { MemoryCandidate, MemoryScope } from '../../domain/memory/candidate';
import type { MemoryActor, Screened } from '../../domain/memory/gate';
import { candidateContent, reviewWindowMs } from '../../domain/memory/review';
import { pageOf } from '../../domain/page';
import type { QueuePage, ReviewedCandidate } from '../../ports/memoryReviews';
import type { Transaction } from './database';
import type { MemoryTables } from './memoryTables';
import type { Tables } from './tables';

type Row = Selectable<MemoryTables['memory_candidates']> & { readonly proposed_for: string | null };

/** Takes the place of what the same proposer had waiting under the same key. @returns its id */
export async function keepCandidate(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  actor: MemoryActor,
  { candidate, personal }: Screened,
  decisionId: string,
  ruleIds: readonly string[],
): Promise<string> {
  const id = `mcd_${randomUUID()}`;
  const { kind, key, value, source, confidence, evidence, expiresAt } = candidate;
  await close(trx, 'replaced', actor.id)
    .where('tenant', '=', tenant)
    .where('owner', '=', owner)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('proposed_by', '=', actor.id)
    .where('status', '=', 'waiting')
    .execute();
  await trx
    .insertInto('memory_candidates')
    .values({
      id,
      tenant,
      owner,
      decision_id: decisionId,
      kind,
      key,
      value,
      source,
      confidence,
      evidence: JSON.stringify(evidence),
      personal,
      expires_at: expiresAt ?? null,
      proposed_by: actor.id,
      proposed_by_kind: actor.kind,
      rule_ids: [...ruleIds],
      proposal_hash: candidateHash(id, candidate),
      deadline: sql<Date>`clock_timestamp() + ${reviewWindowMs} * interval '1 millisecond'`,
    })
    .execute();
  return id;
}

function candidateHash(id: string, candidate: MemoryCandidate): string {
  return createHash('sha256')
    .update(JSON.stringify(candidateContent(id, candidate)))
    .digest('hex');
}

/** Ends candidates; what they said is gone with that. */
export function close(
  trx: Transaction,
  status: 'approved' | 'rejected' | 'expired' | 'replaced' | 'revoked',
  by: string | null,
) {
  return trx
    .updateTable('memory_candidates')
    .set({ status, value: null, decided_at: sql<Date>`clock_timestamp()`, decided_by: by });
}

/**
 * What nobody decided on in time. A rule of procedure ends with its approval, by that one's own timer; where there is none,
 * or it was ended from outside, the rule must not wait for ever.
 */
export async function expireCandidates(trx: Transaction, tenant: string): Promise<void> {
  await close(trx, 'expired', null)
    .where('tenant', '=', tenant)
    .where('status', '=', 'waiting')
    .where((eb) => eb.or([eb('kind', '<>', 'procedural'), eb.not(eb.exists(approvalInForce(eb, tenant)))]))
    .where('deadline', '<=', sql<Date>`clock_timestamp()`)
    .execute();
}

function approvalInForce(eb: ExpressionBuilder<Tables, 'memory_candidates'>, tenant: string) {
  return eb
    .selectFrom('approvals')
    .select('approvals.id')
    .where('approvals.tenant', '=', tenant)
    .whereRef('approvals.run_id', '=', 'memory_candidates.id')
    .where('approvals.status', 'not in', ['cancelled', 'expired']);
}

export async function candidateForChange(
  trx: Transaction,
  tenant: string,
  id: string,
): Promise<ReviewedCandidate | undefined> {
  await expireCandidates(trx, tenant);
  const row = await candidates(trx, tenant).where('id', '=', id).forUpdate().executeTakeFirst();
  return row && reviewedOf(row);
}

export async function candidatesById(
  trx: Transaction,
  tenant: string,
  ids: readonly string[],
): Promise<ReviewedCandidate[]> {
  return (await candidates(trx, tenant).where('id', 'in', ids).execute()).map(reviewedOf);
}

function candidates(trx: Transaction, tenant: string) {
  return trx
    .selectFrom('memory_candidates')
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom('spoken_for')
        .select('on_behalf_of')
        .where('spoken_for.tenant', '=', tenant)
        .whereRef('spoken_for.ref', '=', 'memory_candidates.decision_id')
        .as('proposed_for'),
    )
    .where('tenant', '=', tenant);
}

/** A page, oldest first. */
export async function queueOf(
  trx: Transaction,
  tenant: string,
  { limit, status = 'waiting', after }: QueuePage,
): Promise<{ items: ReviewedCandidate[]; next: { at: string; id: string } | null }> {
  await expireCandidates(trx, tenant);
  let rows = candidates(trx, tenant)
    .select(sql<string>`created_at::text`.as('at'))
    .where('status', '=', status);
  if (after) rows = rows.where(sql<boolean>`(created_at, id) > (${after.at}::timestamptz, ${after.id})`);
  const found = await rows
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const { page, last } = pageOf(found, limit);
  return {
    items: page.map(reviewedOf),
    next: last ? { at: last.at, id: last.id } : null,
  };
}

/** The candidate as it was proposed. */
export function proposedOf(tenantId: string, candidate: ReviewedCandidate): MemoryCandidate {
  const { owner: ownerId, key, kind, source, confidence, evidence, expiresAt } = candidate;
  return {
    tenantId,
    ownerId,
    key,
    value: candidate.value ?? '',
    kind,
    source,
    explicitUserRequest: false,
    confidence,
    evidence: [...evidence],
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function reviewedOf(row: Row): ReviewedCandidate {
  return {
    id: row.id,
    owner: row.owner,
    kind: row.kind,
    key: row.key,
    value: row.value,
    source: row.source,
    confidence: row.confidence,
    evidence: row.evidence,
    personal: row.personal,
    expiresAt: row.expires_at?.getTime() ?? null,
    proposedBy: row.proposed_by,
    proposedByKind: row.proposed_by_kind,
    proposedFor: row.proposed_for,
    ruleIds: row.rule_ids,
    proposalHash: row.proposal_hash,
    status: row.status,
    createdAt: row.created_at.getTime(),
    deadline: row.deadline.getTime(),
    decidedAt: row.decided_at?.getTime() ?? null,
    decidedBy: row.decided_by,
    comment: row.comment,
    memoryId: row.memory_id,
  };
}

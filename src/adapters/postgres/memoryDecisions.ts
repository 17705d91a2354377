import { randomUUID } from 'node:crypto';
import { memoryKey, memoryKinds, type MemoryScope } from '../../domain/memory/candidate';
import type { Judgement, MemoryActor } from '../../domain/memory/gate';
import { neverRemembered } from '../../domain/screening/finding';
import { refusedKinds } from '../../domain/screening/screen';
import type { MemoryDecision } from '../../ports/memory';
import type { Transaction } from './database';
import { keepSpokenFor } from './spokenFor';

/** What was answered to the same request before. */
export async function decisionByRequest(
  trx: Transaction,
  { tenant, owner }: MemoryScope,
  requestKey: string,
): Promise<MemoryDecision | undefined> {
  const row = await trx
    .selectFrom('memory_decisions as d')
    .leftJoin('memories as m', 'm.decision_id', 'd.id')
    .leftJoin('memory_candidates as c', 'c.decision_id', 'd.id')
    .select(['d.id', 'd.allowed', 'd.rule_ids', 'd.policy_version', 'd.reason'])
    .select(['m.id as memory_id', 'c.id as candidate_id'])
    .where('d.tenant', '=', tenant)
    .where('d.owner', '=', owner)
    .where('d.request_key', '=', requestKey)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    decisionId: row.id,
    allowed: row.allowed,
    ruleIds: row.rule_ids,
    policyVersion: row.policy_version,
    reason: row.reason,
    memoryId: row.memory_id,
    candidateId: row.candidate_id,
  };
}

/** A judgement about a candidate, of which nothing but kind and key is kept. */
export interface DecisionRecord {
  readonly scope: MemoryScope;
  readonly actor: MemoryActor;
  readonly candidate: unknown;
  readonly judgement: Judgement;
  readonly requestKey: string | undefined;
}

/** @returns the decision's id */
export async function recordDecision(trx: Transaction, decision: DecisionRecord): Promise<string> {
  const { scope, actor, candidate, judgement, requestKey } = decision;
  const { kind, key } = (candidate ?? {}) as { kind?: unknown; key?: unknown };
  const id = `mdc_${randomUUID()}`;
  await trx
    .insertInto('memory_decisions')
    .values({
      id,
      tenant: scope.tenant,
      owner: scope.owner,
      request_key: requestKey ?? null,
      kind: memoryKinds.find((known) => known === kind) ?? null,
      key: storableKey(key),
      allowed: judgement.allowed,
      rule_ids: [...judgement.ruleIds],
      policy_version: judgement.policyVersion,
      reason: judgement.reason,
      actor: actor.id,
      actor_kind: actor.kind,
    })
    .execute();
  await keepSpokenFor(trx, scope.tenant, { ref: id, onBehalfOf: actor.onBehalfOf });
  return id;
}

/** A key of a refused candidate can itself be what must not be stored (R44). */
function storableKey(key: unknown): string | null {
  const parsed = memoryKey.safeParse(key);
  return parsed.success && refusedKinds(parsed.data, neverRemembered).length === 0 ? parsed.data : null;
}

export function answer(
  decisionId: string,
  { allowed, ruleIds, policyVersion, reason }: Judgement,
  came: { readonly memoryId?: string; readonly candidateId?: string } = {},
): MemoryDecision {
  const { memoryId = null, candidateId = null } = came;
  return { decisionId, allowed, ruleIds, policyVersion, reason, memoryId, candidateId };
}

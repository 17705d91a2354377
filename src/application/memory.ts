import { z } from 'zod';
import type { Authority } from '../domain/approval/state';
import { normalIdentity } from '../domain/access/identity';
import { checkSpeaksForAnother } from '../domain/access/separation';
import { CountersignError } from '../domain/errors';
import { candidateSchema, parseScope, type MemoryScope } from '../domain/memory/candidate';
import type { MemoryActor } from '../domain/memory/gate';
import { groups } from '../domain/people';
import { onBehalfOf } from '../domain/refund/request';
import { refusedKinds } from '../domain/screening/screen';
import type {
  Memory,
  MemoryDecision,
  MemoryPage,
  MemoryPosition,
  MemoryStore,
  ProposeOptions,
} from '../ports/memory';

/** Whoever a credential stands for; the tenant comes from nowhere else (R38). */
export type MemoryPrincipal = Pick<Authority, 'tenant' | 'id' | 'kind' | 'groups'>;

const fields = candidateSchema.shape;

const humanBehindIt = onBehalfOf.refine(
  (text) => normalIdentity(text) !== undefined && refusedKinds(text).length === 0,
);

/** The body of a proposal: the candidate without its tenant; the owner is the caller unless named. */
export const memoryBody = z.strictObject({
  ownerId: fields.ownerId.optional(),
  key: fields.key,
  value: fields.value,
  kind: fields.kind,
  source: fields.source,
  explicitUserRequest: fields.explicitUserRequest.default(false),
  confidence: fields.confidence.default(1),
  evidence: fields.evidence.default([]),
  expiresAt: fields.expiresAt,
  /** The human for whom a service or an agent proposes; he decides on it no more than the proposer. */
  onBehalfOf: humanBehindIt.optional(),
});

/**
 * Proposes a memory. Judged before anything else sees the text: no workflow, log line or error holds a refused value.
 * @returns the decision, with the memory or with the candidate that waits for an administrator
 * @throws CountersignError invalid_request, memory_scope_invalid, version_conflict; memory_denied (details:
 *   decisionId, ruleIds, policyVersion) for a refusal, which is on record then
 */
export async function proposeMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  body: unknown,
  options: ProposeOptions = {},
): Promise<MemoryDecision> {
  const parsed = memoryBody.safeParse(body);
  if (!parsed.success) throw malformed(parsed.error);
  const { ownerId = principal.id, onBehalfOf: human, ...rest } = parsed.data;
  if (human !== undefined) checkSpeaksForAnother(principal);
  const candidate = { ...rest, tenantId: principal.tenant, ownerId };
  const actor = {
    ...actorOf(principal),
    ...(human === undefined ? {} : { onBehalfOf: normalIdentity(human) }),
  };
  const decision = await memory.propose(candidate, actor, options);
  if (decision.memoryId !== null || decision.candidateId !== null) return decision;
  const { decisionId, ruleIds, policyVersion, reason } = decision;
  throw new CountersignError('memory_denied', reason, { decisionId, ruleIds, policyVersion });
}

/**
 * What is remembered of `owner`, by default of the caller: now, or at `page.at`, or what has faded.
 * @throws CountersignError forbidden, memory_scope_invalid
 */
export async function listMemories(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  page: MemoryPage,
  owner?: string,
): Promise<{ items: Memory[]; next: MemoryPosition | null }> {
  const scope = scopeFor(principal, owner);
  if (page.at !== undefined || page.faded) refuseAgents(principal);
  return memory.list(scope, page);
}

/** @throws CountersignError not_found: also for a memory of another owner or tenant; forbidden, memory_scope_invalid */
export async function findMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  owner?: string,
  at?: number,
): Promise<Memory> {
  const scope = scopeFor(principal, owner);
  if (at !== undefined) refuseAgents(principal);
  const found = await memory.find(scope, id, at);
  if (!found) throw new CountersignError('not_found');
  return found;
}

/**
 * Removes a memory with its history.
 * @throws CountersignError as findMemory, and version_conflict; agents may not (forbidden)
 */
export async function forgetMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  owner?: string,
  expectedVersion?: number,
): Promise<void> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  if (!(await memory.forget(scope, id, actorOf(principal), expectedVersion)))
    throw new CountersignError('not_found');
}

/**
 * Pins a memory, whatever its source: contexts of its owner's threads show it first. It changes neither what is
 * believed nor what anybody may do.
 * @throws CountersignError as findMemory, and pins_full; agents may not (forbidden)
 */
export async function pinMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  owner?: string,
): Promise<Memory> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  const pinned = await memory.pin(scope, id, actorOf(principal));
  if (!pinned) throw new CountersignError('not_found');
  return pinned;
}

/** By the id of any version; what is not pinned stays so. @throws CountersignError as pinMemory */
export async function unpinMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  owner?: string,
): Promise<void> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  if (!(await memory.unpin(scope, id))) throw new CountersignError('not_found');
}

/** A model reads what is believed now: what was believed once, or is held, is nothing to act upon. */
export function refuseAgents({ kind }: MemoryPrincipal): void {
  if (kind === 'agent')
    throw new CountersignError('forbidden', 'an agent reads what is remembered now, and no more');
}

/** Services and agents act for their users, and administrators for anybody; a person reads only his own. */
export function scopeFor(principal: MemoryPrincipal, owner: string | undefined): MemoryScope {
  const scope = parseScope({ tenant: principal.tenant, owner: owner ?? principal.id });
  if (scope.owner !== principal.id && !actsForOthers(principal)) throw new CountersignError('forbidden');
  return scope;
}

export function actsForOthers({ kind, groups: of }: Pick<MemoryPrincipal, 'kind' | 'groups'>): boolean {
  return kind !== 'person' || of.includes(groups.admins);
}

export function actorOf({ tenant, id, kind, groups: of }: MemoryPrincipal): MemoryActor {
  return { tenant, id, kind, groups: of };
}

/** Names our own fields only: what a caller calls his could itself be sensitive (R44). */
function malformed(error: z.ZodError): CountersignError {
  const issues = error.issues.map(({ path, code }) => {
    const [field] = path;
    const known = typeof field === 'string' && field in memoryBody.shape;
    return {
      path: known ? field : '',
      message: code === 'unrecognized_keys' ? 'unknown field' : 'not of its form',
    };
  });
  const scope = issues.some(({ path }) => path === 'ownerId');
  return new CountersignError(scope ? 'memory_scope_invalid' : 'invalid_request', undefined, { issues });
}

import { z } from 'zod';
import { candidateSchema } from '../domain/memory/candidate';
import { CountersignError } from '../domain/errors';
import { versionRead } from '../domain/version';
import type { Memory, MemoryDecision, MemoryStore, MemoryVersion } from '../ports/memory';
import { proposeMemory, refuseAgents, scopeFor, type MemoryPrincipal } from './memory';

const fields = candidateSchema.shape;

/** `version`: the one that was read; also without it, only what this id names is corrected. */
export const correctionBody = z.strictObject({
  value: fields.value,
  expiresAt: fields.expiresAt,
  version: versionRead.optional(),
});
export type Correction = z.infer<typeof correctionBody>;

export const confirmationBody = correctionBody.pick({ version: true });

/** Which version is meant, and whose memory; the caller's own without a name. */
export interface Named {
  readonly owner?: string | undefined;
  readonly version?: number | undefined;
}

/**
 * What a person typed instead is an explicit statement: it takes the place of the version that `id` names, whatever that
 * came from, and passes the gate as any other. @throws CountersignError not_found, memory_denied, version_conflict
 */
export async function correctMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  { value, expiresAt, version }: Correction,
  owner?: string,
): Promise<MemoryDecision> {
  const found = await currentOf(memory, principal, id, { owner, version });
  return restate(memory, principal, found, owner, {
    value,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
}

/**
 * Its owner says that it is so, and from then on it does not fade. Also for what has faded already.
 * @throws CountersignError not_found, memory_denied, version_conflict
 */
export async function confirmMemory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  { owner, version }: Named,
): Promise<MemoryDecision> {
  const found = await currentOf(memory, principal, id, { owner, version });
  const { value, expiresAt } = found;
  return restate(memory, principal, found, owner, {
    value,
    ...(expiresAt === null ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  });
}

async function currentOf(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  { owner, version }: Named,
): Promise<Memory> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  const found = await memory.current(scope, id);
  if (!found) throw new CountersignError('not_found');
  if (version !== undefined && version !== found.version)
    throw new CountersignError('version_conflict', undefined, { currentVersion: found.version });
  return found;
}

function restate(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  { kind, key, version }: Memory,
  owner: string | undefined,
  said: { readonly value: string; readonly expiresAt?: string },
): Promise<MemoryDecision> {
  // Of somebody else a person speaks as the operator, and another administrator decides on it.
  const asOperator = principal.kind === 'person' && owner !== undefined && owner !== principal.id;
  const source = asOperator ? 'operator' : 'user_explicit';
  const candidate = { kind, key, source, explicitUserRequest: !asOperator, confidence: 1, ...said };
  const body = owner === undefined ? candidate : { ...candidate, ownerId: owner };
  return proposeMemory(memory, principal, body, { expectedVersion: version });
}

/** Every version, newest first. @throws CountersignError not_found, forbidden, memory_scope_invalid */
export async function memoryHistory(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  id: string,
  owner?: string,
): Promise<MemoryVersion[]> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  const versions = await memory.history(scope, id);
  if (versions.length === 0) throw new CountersignError('not_found');
  return versions;
}

/** Everything that is or was remembered of one owner. @throws CountersignError forbidden, memory_scope_invalid */
export function exportMemories(
  memory: MemoryStore,
  principal: MemoryPrincipal,
  owner?: string,
): AsyncIterable<MemoryVersion> {
  const scope = scopeFor(principal, owner);
  refuseAgents(principal);
  return memory.export(scope);
}

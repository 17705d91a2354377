import { inputOfRule } from '../domain/memory/proposal';
import { leftToRedelivery } from '../domain/outage';
import type { MemoryDecision } from '../ports/memory';
import type { UseCases } from './dependencies';

type Needs = Pick<UseCases, 'store' | 'engine'>;

/**
 * Has people asked about what waits for them, where that is a rule of procedure; that it is owed stands with the
 * candidate. A Temporal that does not answer now gets it later.
 */
export async function askPeople(
  needs: Needs,
  tenant: string,
  { candidateId }: Pick<MemoryDecision, 'candidateId'>,
): Promise<void> {
  if (candidateId === null) return;
  try {
    await startRule(needs, tenant, candidateId);
  } catch (error) {
    return leftToRedelivery(error);
  }
  const delivered = { runId: candidateId, kind: 'memory', ref: 'start' } as const;
  await needs.store.inTenant(tenant, (unit) => unit.outbox.done(delivered));
}

/** @throws CountersignError dependency_unavailable */
export async function startRule(
  { store, engine }: Needs,
  tenant: string,
  candidateId: string,
): Promise<void> {
  const candidate = await store.inTenant(tenant, (unit) => unit.memoryReviews.candidate(candidateId));
  if (candidate?.kind !== 'procedural' || candidate.status !== 'waiting') return;
  await engine.proposeMemory(inputOfRule(tenant, candidate));
}

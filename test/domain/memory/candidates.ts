import type { MemoryCandidate } from '../../../src/domain/memory/candidate';
import type { MemoryActor } from '../../../src/domain/memory/gate';

export const person: MemoryActor = { tenant: 'acme', id: 'ann', kind: 'person' };
export const service: MemoryActor = { tenant: 'acme', id: 'service', kind: 'service' };
export const agent: MemoryActor = { tenant: 'acme', id: 'agent', kind: 'agent' };

/** An explicit preference of `person` that the gate allows. */
export const preference: MemoryCandidate = {
  tenantId: 'acme',
  ownerId: 'ann',
  key: 'preference/language',
  value: 'Answer in English.',
  kind: 'semantic',
  source: 'user_explicit',
  explicitUserRequest: true,
  confidence: 1,
  evidence: [{ kind: 'turn', ref: 'thread-1/4' }],
};

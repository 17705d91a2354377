import { z } from '@hono/zod-openapi';
import { memoryKey, memoryKinds, memorySources } from '../domain/memory/candidate';
import { confidenceAt } from '../domain/memory/decay';
import { evidenceKinds } from '../domain/memory/evidence';
import { memoryStates, type Memory, type MemoryPosition, type MemoryVersion } from '../ports/memory';
import { decodePosition } from './cursor';
import { time } from './schemas';

export const evidenceSchema = z.object({ kind: z.enum(evidenceKinds), ref: z.string() });

const memoryShape = {
  id: z.string(),
  kind: z.enum(memoryKinds),
  key: z.string(),
  value: z.string(),
  source: z.enum(memorySources),
  confidence: z.number().openapi({ description: 'As it was written, 0 to 1' }),
  confidenceNow: z.number().openapi({ description: 'What age has left of it; only what was inferred fades' }),
  evidence: z.array(evidenceSchema),
  personal: z.boolean(),
  pinned: z.boolean().openapi({ description: 'Contexts show it first; with every version of it' }),
  validFrom: time,
  expiresAt: time.nullable(),
  fadesAt: time.nullable().openapi({ description: 'From then on it waits to be confirmed' }),
  version: z.number().int(),
  decisionId: z.string(),
};

export const memorySchema = z.object(memoryShape).openapi('Memory');

export const versionSchema = z
  .object({
    ...memoryShape,
    state: z.enum(memoryStates),
    validTo: time.nullable(),
    supersededBy: z.string().nullable().openapi({ description: 'The id of the version that took its place' }),
    decision: z.object({
      ruleIds: z.array(z.string()),
      policyVersion: z.string(),
      reason: z.string(),
      actor: z.string(),
      at: time,
    }),
  })
  .openapi('MemoryVersion');

export const decisionSchema = z
  .object({
    memoryId: z.string().nullable().describe('What was written'),
    candidateId: z.string().nullable().openapi({ description: 'What waits for an administrator' }),
    decisionId: z.string(),
    allowed: z.boolean(),
    ruleIds: z.array(z.string()),
    policyVersion: z.string(),
    reason: z.string(),
  })
  .openapi('MemoryDecision');

const byKey = z.tuple([memoryKey, z.enum(memoryKinds)]);

/** Where a list of memories goes on. @throws CountersignError invalid_request for a cursor that no list gave */
export function afterMemory(cursor: string | undefined): { after?: MemoryPosition } {
  if (cursor === undefined) return {};
  const [key, kind] = decodePosition(byKey, cursor);
  return { after: { key, kind } };
}

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

export function memoryView(memory: Memory) {
  const { id, kind, key, value, source, confidence, evidence, personal, pinned } = memory;
  const { version, decisionId } = memory;
  return {
    id,
    kind,
    key,
    value,
    source,
    confidence,
    confidenceNow: Math.round(confidenceAt(source, confidence, Date.now() - memory.validFrom) * 1000) / 1000,
    evidence: [...evidence],
    personal,
    pinned,
    validFrom: iso(memory.validFrom),
    expiresAt: isoOrNull(memory.expiresAt),
    fadesAt: isoOrNull(memory.fadesAt),
    version,
    decisionId,
  };
}

export function versionView(memory: MemoryVersion) {
  const { state, validTo, supersededBy, decision } = memory;
  return {
    ...memoryView(memory),
    state,
    validTo: isoOrNull(validTo),
    supersededBy,
    decision: { ...decision, ruleIds: [...decision.ruleIds], at: iso(decision.at) },
  };
}

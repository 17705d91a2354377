import { z } from 'zod';
import { CountersignError } from '../errors';
import { refusedKinds } from '../screening/screen';
import { evidenceItem } from './evidence';

export const memoryKinds = ['semantic', 'episodic', 'procedural'] as const;
export type MemoryKind = (typeof memoryKinds)[number];

export const memorySources = ['user_explicit', 'inferred', 'tool', 'document', 'operator'] as const;
export type MemorySource = (typeof memorySources)[number];

const tenant = z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/);

/** Compared by equality only: `%` and `_` are characters like others. `*` and invisible characters name nobody. */
const owner = z
  .string()
  .min(1)
  .max(128)
  .refine(
    (id) =>
      id !== '*' && id === id.trim() && !/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(id),
  );

const scopeSchema = z.object({ tenant, owner });

/** Whose memory: one tenant and one owner within it, never a pattern (R46). */
export interface MemoryScope {
  readonly tenant: string;
  readonly owner: string;
}

/** @throws CountersignError memory_scope_invalid for anything that is not exactly one tenant and one owner */
export function parseScope(scope: unknown): MemoryScope {
  const parsed = scopeSchema.safeParse(scope);
  // A card number is nobody's id; without this it would be stored as the owner of a refused candidate (R44).
  if (!parsed.success || refusedKinds(parsed.data.owner).length > 0) {
    throw new CountersignError('memory_scope_invalid');
  }
  return parsed.data;
}

export const memoryKey = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,119}$/);

export const candidateSchema = z.strictObject({
  tenantId: tenant,
  ownerId: owner,
  key: memoryKey,
  value: z
    .string()
    .max(2000)
    .refine((text) => text.trim() !== '' && !/(?![\t\n\r])[\p{Cc}\p{Cs}]/u.test(text)),
  kind: z.enum(memoryKinds),
  source: z.enum(memorySources),
  explicitUserRequest: z.boolean(),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
  evidence: z.array(evidenceItem).max(10),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

/** A proposal to remember something. It is not a write: only the gate decides (R42). */
export type MemoryCandidate = z.infer<typeof candidateSchema>;

/** Higher ranks replace lower ones and are not replaced by them; among equals the newer wins (R47). */
export const sourceRank: Readonly<Record<MemorySource, number>> = {
  user_explicit: 3,
  operator: 3,
  tool: 2,
  document: 1,
  inferred: 0,
};

import { z } from '@hono/zod-openapi';
import { approvalIdOf } from '../domain/contract';
import { memoryKinds, memorySources } from '../domain/memory/candidate';
import { candidateStatuses, holdReasons, holds } from '../domain/memory/review';
import type { HeldSource, MemoryHold, ReviewedCandidate, SourceHoldReport } from '../ports/memoryReviews';
import { decisionSchema, evidenceSchema, iso, isoOrNull } from './memoryViews';
import { orNull, time } from './schemas';

export const candidateSchema = z
  .object({
    id: z.string(),
    owner: z.string(),
    kind: z.enum(memoryKinds),
    key: z.string(),
    value: z.string().nullable().openapi({ description: 'null once it is decided' }),
    source: z.enum(memorySources),
    confidence: z.number(),
    evidence: z.array(evidenceSchema),
    personal: z.boolean(),
    expiresAt: time.nullable(),
    proposedBy: z.string(),
    proposedByKind: z.string(),
    proposedFor: z.string().nullable().openapi({ description: 'The human behind a service or agent' }),
    ruleIds: z.array(z.string()).openapi({ description: 'Why it waits' }),
    proposalHash: z.string(),
    status: z.enum(candidateStatuses),
    createdAt: time,
    deadline: time,
    decidedAt: time.nullable(),
    decidedBy: z.string().nullable(),
    comment: z.string().nullable(),
    memoryId: z.string().nullable(),
    approvalId: z
      .string()
      .nullable()
      .openapi({ description: 'Where it is decided on; null for what is decided on as a candidate' }),
  })
  .openapi('MemoryCandidate');

export const reviewedSchema = z
  .object({
    candidate: candidateSchema,
    decision: orNull(decisionSchema).openapi({
      description: "The gate's on what was approved, which may refuse it by now; null for a rejection",
    }),
  })
  .openapi('ReviewedCandidate');

const heldShape = {
  id: z.string(),
  hold: z.enum(holds),
  reason: z.enum(holdReasons),
  comment: z.string().nullable(),
  actor: z.string(),
  heldAt: time,
};

export const holdSchema = z
  .object({
    ...heldShape,
    memoryId: z.string(),
    owner: z.string(),
    sourceId: z.string().nullable().openapi({ description: 'The held source because of which' }),
  })
  .openapi('MemoryHold');

export const sourceSchema = z.object({ ...heldShape, source: evidenceSchema }).openapi('HeldSource');

export const reportSchema = z
  .object({
    ...heldShape,
    source: evidenceSchema,
    versions: z.number().int().openapi({ description: 'Learnt from it, of all owners, and held now' }),
    owners: z.number().int(),
    live: z.number().int().openapi({ description: 'Versions that were the newest of their key' }),
    candidates: z.number().int().openapi({ description: 'That waited for a person and are revoked too' }),
  })
  .openapi('SourceHoldReport');

export function candidateView(candidate: ReviewedCandidate) {
  const { evidence, ruleIds, expiresAt, createdAt, deadline, decidedAt } = candidate;
  return {
    ...candidate,
    evidence: [...evidence],
    ruleIds: [...ruleIds],
    expiresAt: isoOrNull(expiresAt),
    createdAt: iso(createdAt),
    deadline: iso(deadline),
    decidedAt: isoOrNull(decidedAt),
    approvalId: candidate.kind === 'procedural' ? approvalIdOf(candidate.id) : null,
  };
}

export const holdView = (hold: MemoryHold) => ({ ...hold, heldAt: iso(hold.heldAt) });
export const sourceView = (source: HeldSource) => ({ ...source, heldAt: iso(source.heldAt) });
export const reportView = (report: SourceHoldReport) => ({ ...report, heldAt: iso(report.heldAt) });

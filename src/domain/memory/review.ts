import { z } from 'zod';
import { isSameIdentity } from '../access/identity';
import { CountersignError } from '../errors';
import { freeText } from '../refund/request';
import { evidenceItem } from './evidence';
import type { MemoryCandidate } from './candidate';

/** For how long a candidate waits for a person, ms: 14 days. Decided at that moment or later is late. */
export const reviewWindowMs = 14 * 86_400_000;

/** `replaced`: its proposer proposed another value; `revoked`: so was what it was learnt from. */
export const candidateStatuses = [
  'waiting',
  'approved',
  'rejected',
  'expired',
  'replaced',
  'revoked',
] as const;
export type CandidateStatus = (typeof candidateStatuses)[number];

export const holds = ['quarantine', 'revocation'] as const;
export type Hold = (typeof holds)[number];

/** Why, in a word: it stands in the audit log for good, so it holds no text of anybody. */
export const holdReasons = [
  'suspicious',
  'poisoned',
  'wrong',
  'outdated',
  'personal',
  'owner_request',
] as const;
export type HoldReason = (typeof holdReasons)[number];

const comment = freeText.trim().min(1).max(500).optional();

export const reviewBody = z.strictObject({
  decision: z.enum(['approve', 'reject']),
  /** Of the candidate as it was read. */
  proposalHash: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits, as the candidate shows them'),
  comment,
});
export type ReviewDecision = z.infer<typeof reviewBody>;

export const holdBody = z.strictObject({ reason: z.enum(holdReasons), comment });
export type HoldWords = z.infer<typeof holdBody>;

export const sourceBody = z.strictObject({ source: evidenceItem });
export const sourceHoldBody = holdBody.extend({ source: evidenceItem });
export type SourceHold = z.infer<typeof sourceHoldBody>;

/** What the hash of a waiting candidate is over, in a fixed order: everything that would be written, and where. */
export function candidateContent(id: string, candidate: MemoryCandidate): readonly unknown[] {
  const { tenantId, ownerId, kind, key, value, source, confidence, evidence, expiresAt } = candidate;
  return [
    'countersign-memory-1',
    ...[tenantId, id, ownerId, kind, key, value, source, confidence],
    evidence.map(({ kind: of, ref }) => [of, ref]),
    expiresAt ?? null,
  ];
}

interface Waiting {
  readonly owner: string;
  readonly proposedBy: string;
  readonly proposedFor: string | null;
  readonly proposalHash: string;
  readonly status: CandidateStatus;
  /** ms since the epoch. */
  readonly deadline: number;
  readonly decidedBy: string | null;
}

/**
 * Whether this person may decide on this candidate now, and the one that he read: not on what he proposed himself or
 * had proposed, nor on what would be remembered of him. `now` in ms since the epoch.
 * @throws CountersignError separation_of_duties, then already_decided, approval_expired, decision_stale
 */
export function checkReviewable(
  candidate: Waiting,
  who: { readonly id: string },
  proposalHash: string,
  now: number,
): void {
  const { proposedBy, proposedFor, owner } = candidate;
  if ([proposedBy, proposedFor, owner].some((one) => isSameIdentity(who.id, one))) {
    throw new CountersignError(
      'separation_of_duties',
      'nobody approves what he proposed, or what would be remembered of him; another administrator must',
    );
  }
  const { status, decidedBy, deadline } = candidate;
  if (status === 'expired' || (status === 'waiting' && now >= deadline)) {
    throw new CountersignError('approval_expired', 'nobody decided on this candidate in time', {
      status: 'expired',
    });
  }
  if (status !== 'waiting') {
    throw new CountersignError('already_decided', `this candidate is ${status} already`, {
      status,
      decidedBy,
    });
  }
  if (proposalHash !== candidate.proposalHash) {
    throw new CountersignError('decision_stale', undefined, { proposalHash: candidate.proposalHash });
  }
}

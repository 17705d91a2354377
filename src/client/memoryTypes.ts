import type { MemoryKind, MemorySource } from '../domain/memory/candidate';
import type { evidenceKinds } from '../domain/memory/evidence';

export type { MemoryKind, MemorySource };
export type EvidenceKind = (typeof evidenceKinds)[number];

export interface Evidence {
  readonly kind: EvidenceKind;
  readonly ref: string;
}

/** What is remembered, as it is believed. Times are ISO 8601 in UTC. */
export interface Memory {
  readonly id: string;
  readonly kind: MemoryKind;
  readonly key: string;
  readonly value: string;
  readonly source: MemorySource;
  /** 0 to 1, as it was written. */
  readonly confidence: number;
  /** What age has left of it; only what was inferred fades. */
  readonly confidenceNow: number;
  readonly evidence: readonly Evidence[];
  readonly personal: boolean;
  /** Contexts show it first; with every version of it. */
  readonly pinned: boolean;
  readonly validFrom: string;
  readonly expiresAt: string | null;
  /** From then on it waits to be confirmed. */
  readonly fadesAt: string | null;
  readonly version: number;
  readonly decisionId: string;
}

/** A version as the history shows it. */
export interface MemoryVersion extends Memory {
  readonly state: 'believed' | 'superseded' | 'expired' | 'faded' | 'quarantined' | 'revoked';
  readonly validTo: string | null;
  readonly supersededBy: string | null;
  readonly decision: {
    readonly ruleIds: readonly string[];
    readonly policyVersion: string;
    readonly reason: string;
    readonly actor: string;
    readonly at: string;
  };
}

/** A proposal to remember something; its owner is the caller unless named. */
export interface MemoryProposal {
  readonly ownerId?: string;
  readonly key: string;
  readonly value: string;
  readonly kind: MemoryKind;
  readonly source: MemorySource;
  /** Its owner asked for it. Default false. */
  readonly explicitUserRequest?: boolean;
  /** 0 to 1. Default 1. */
  readonly confidence?: number;
  readonly evidence?: readonly Evidence[];
  readonly expiresAt?: string;
  /** The human for whom a service or an agent proposes. */
  readonly onBehalfOf?: string | undefined;
}

export interface MemoryCorrection {
  readonly value: string;
  readonly expiresAt?: string;
  /** The version that was read; another one is refused with version_conflict. */
  readonly version?: number | undefined;
}

/** The gate's answer: written (`memoryId`), or kept until an administrator has decided (`candidateId`). */
export interface MemoryDecision {
  readonly memoryId: string | null;
  readonly candidateId: string | null;
  readonly decisionId: string;
  readonly allowed: boolean;
  readonly ruleIds: readonly string[];
  readonly policyVersion: string;
  readonly reason: string;
}

export type CandidateStatus = 'waiting' | 'approved' | 'rejected' | 'expired' | 'replaced' | 'revoked';

/** What waits for an administrator, or waited. */
export interface MemoryCandidate {
  readonly id: string;
  readonly owner: string;
  readonly kind: MemoryKind;
  readonly key: string;
  /** null once it is decided. */
  readonly value: string | null;
  readonly source: MemorySource;
  readonly confidence: number;
  readonly evidence: readonly Evidence[];
  readonly personal: boolean;
  readonly expiresAt: string | null;
  readonly proposedBy: string;
  readonly proposedByKind: string;
  /** The human behind a service or agent. */
  readonly proposedFor: string | null;
  readonly ruleIds: readonly string[];
  readonly proposalHash: string;
  readonly status: CandidateStatus;
  readonly createdAt: string;
  readonly deadline: string;
  readonly decidedAt: string | null;
  readonly decidedBy: string | null;
  readonly comment: string | null;
  readonly memoryId: string | null;
}

export interface ReviewedCandidate {
  readonly candidate: MemoryCandidate;
  /** The gate's on what was approved, which may refuse it by now; null for a rejection. */
  readonly decision: MemoryDecision | null;
}

export type HoldReason = 'suspicious' | 'poisoned' | 'wrong' | 'outdated' | 'personal' | 'owner_request';

export interface HoldWords {
  readonly reason: HoldReason;
  readonly comment?: string | undefined;
}

interface Held {
  readonly id: string;
  readonly hold: 'quarantine' | 'revocation';
  readonly reason: HoldReason;
  readonly comment: string | null;
  readonly actor: string;
  readonly heldAt: string;
}

export interface MemoryHold extends Held {
  readonly memoryId: string;
  readonly owner: string;
  readonly sourceId: string | null;
}

export interface HeldSource extends Held {
  readonly source: Evidence;
}

/** What a hold on a source came to, in counts. */
export interface SourceHoldReport extends HeldSource {
  readonly versions: number;
  readonly owners: number;
  readonly live: number;
  readonly candidates: number;
}

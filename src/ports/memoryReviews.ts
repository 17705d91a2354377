import type { MemoryKind, MemoryScope, MemorySource } from '../domain/memory/candidate';
import type { Evidence } from '../domain/memory/evidence';
import type { GatePolicy, MemoryActor } from '../domain/memory/gate';
import type { CandidateStatus, Hold, HoldReason, HoldWords, SourceHold } from '../domain/memory/review';
import type { MemoryDecision } from './memory';

/** A candidate that waits, or waited, for a person. Times in ms since the epoch. */
export interface ReviewedCandidate {
  readonly id: string;
  readonly owner: string;
  readonly kind: MemoryKind;
  readonly key: string;
  /** null once it is decided. */
  readonly value: string | null;
  readonly source: MemorySource;
  /** 0 to 1. */
  readonly confidence: number;
  readonly evidence: readonly Evidence[];
  readonly personal: boolean;
  readonly expiresAt: number | null;
  readonly proposedBy: string;
  readonly proposedByKind: MemoryActor['kind'];
  /** The human behind a service or agent. */
  readonly proposedFor: string | null;
  /** Why it waits. */
  readonly ruleIds: readonly string[];
  readonly proposalHash: string;
  readonly status: CandidateStatus;
  readonly createdAt: number;
  readonly deadline: number;
  readonly decidedAt: number | null;
  readonly decidedBy: string | null;
  readonly comment: string | null;
  readonly memoryId: string | null;
}

/** Why a memory is not believed for now, or ever. */
export interface MemoryHold {
  readonly id: string;
  readonly memoryId: string;
  readonly owner: string;
  readonly hold: Hold;
  /** The held source because of which; null for one that was held by itself. */
  readonly sourceId: string | null;
  readonly reason: HoldReason;
  readonly comment: string | null;
  readonly actor: string;
  readonly heldAt: number;
}

export interface HeldSource {
  readonly id: string;
  readonly source: Evidence;
  readonly hold: Hold;
  readonly reason: HoldReason;
  readonly comment: string | null;
  readonly actor: string;
  readonly heldAt: number;
}

/** What a hold on a whole source came to. */
export interface SourceHoldReport extends HeldSource {
  /** Versions learnt from it that are held now, of how many owners, and how many of them were the newest of their key. */
  readonly versions: number;
  readonly owners: number;
  readonly live: number;
  /** Candidates that waited for a person and are revoked with it. */
  readonly candidates: number;
}

export interface QueuePage {
  readonly limit: number;
  readonly status?: CandidateStatus;
  /** The position that an earlier page ended at. */
  readonly after?: { readonly at: string; readonly id: string };
}

/** What people do about memories of their whole tenant, inside one transaction. */
export interface MemoryReviews {
  /** Oldest first. What nobody decided on in time is `expired`, and its text is gone. */
  queue(
    page: QueuePage,
  ): Promise<{ items: ReviewedCandidate[]; next: { readonly at: string; readonly id: string } | null }>;
  /** Reads for a change; nobody else changes it before this transaction ends. */
  candidate(id: string): Promise<ReviewedCandidate | undefined>;
  /** Puts an approved candidate through the gate once more, as the operator's own. A refusal is an answer. */
  approve(
    candidate: ReviewedCandidate,
    reviewer: MemoryActor,
    policy: GatePolicy,
    comment: string | undefined,
  ): Promise<MemoryDecision>;
  /** Ends what waits, without a memory; its text is gone then. */
  close(
    candidate: Pick<ReviewedCandidate, 'id'>,
    status: 'rejected' | 'expired' | 'revoked',
    by: string | null,
    comment?: string,
  ): Promise<void>;

  /** Open holds, oldest first. */
  holds(page: {
    readonly limit: number;
    readonly after?: { readonly at: string; readonly id: string };
    readonly owner?: string;
  }): Promise<{ items: MemoryHold[]; next: { readonly at: string; readonly id: string } | null }>;
  /** Quarantines one memory. undefined when there is none by that id of that owner. The same again changes nothing. */
  quarantine(
    scope: MemoryScope,
    memoryId: string,
    words: HoldWords,
    actor: { readonly id: string },
  ): Promise<MemoryHold | undefined>;
  /** Ends the quarantine of one memory by itself; that of its source stays. @returns false when there is none */
  release(scope: MemoryScope, memoryId: string, actor: { readonly id: string }): Promise<boolean>;

  sources(): Promise<HeldSource[]>;
  /** Holds everything learnt from a source, and lets nothing more be learnt from it. Repeated, it reports what is held. */
  holdSource(hold: Hold, body: SourceHold, actor: { readonly id: string }): Promise<SourceHoldReport>;
  /** Lets the source teach again and ends its quarantine; what was revoked stays so. @returns undefined when it isn't held */
  releaseSource(
    source: Evidence,
    actor: { readonly id: string },
  ): Promise<{ id: string; released: number } | undefined>;
}

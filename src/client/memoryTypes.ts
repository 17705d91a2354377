import type { BodyOf, Schemas } from './schemas';

/** What is remembered, as it is believed. Times are ISO 8601 in UTC. */
export type Memory = Schemas['Memory'];
export type MemoryKind = Memory['kind'];
export type MemorySource = Memory['source'];
export type Evidence = Memory['evidence'][number];
export type EvidenceKind = Evidence['kind'];
/** A version as the history shows it. */
export type MemoryVersion = Schemas['MemoryVersion'];
/** A proposal to remember something; its owner is the caller unless named. */
export type MemoryProposal = BodyOf<'proposeMemory'>;
/** `version`: the one that was read; another one is refused with version_conflict. */
export type MemoryCorrection = BodyOf<'correctMemory'>;
/** The gate's answer: written (`memoryId`), or kept until an administrator has decided (`candidateId`). */
export type MemoryDecision = Schemas['MemoryDecision'];

/** What waits for an administrator, or waited. */
export type MemoryCandidate = Schemas['MemoryCandidate'];
export type CandidateStatus = MemoryCandidate['status'];
export type ReviewedCandidate = Schemas['ReviewedCandidate'];

export type MemoryHold = Schemas['MemoryHold'];
export type HoldReason = MemoryHold['reason'];
export type HeldSource = Schemas['HeldSource'];
/** What a hold on a source came to, in counts. */
export type SourceHoldReport = Schemas['SourceHoldReport'];

/** Why something is held. */
export type HoldWords = BodyOf<'quarantineMemory'>;

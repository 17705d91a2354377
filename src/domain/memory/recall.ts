import { relevanceOf, type Corpus, type Match, type SoughtTerm } from '../search/relevance';
import { sourceRank, type MemorySource } from './candidate';

/**
 * How much each part counts. An id that is named outweighs everything else; words outweigh what is left, which decides
 * between memories that answer about equally well.
 */
export const recallWeights = { ids: 1, words: 0.8, recency: 0.08, confidence: 0.06, source: 0.06 } as const;

/** A memory is half as recent after this, ms. */
export const recencyHalfLifeMs = 90 * 24 * 3_600_000;

/** What ranking needs of a memory that has something of the question. Times in ms since the epoch. */
export interface RecallCandidate extends Match {
  readonly id: string;
  readonly validFrom: number;
  /** 0 to 1. */
  readonly confidence: number;
  readonly source: MemorySource;
}

/** Why a memory stands where it stands: every part of its score, 0 to 1 before it is weighted. */
export interface RecallReasons {
  readonly parts: Readonly<Record<keyof typeof recallWeights, number>>;
  /** Words of the question that it has, with their weights. */
  readonly terms: readonly { readonly word: string; readonly weight: number }[];
  /** Ids of the question that it names exactly. */
  readonly ids: readonly string[];
}

export interface Ranked {
  readonly id: string;
  readonly score: number;
  readonly reasons: RecallReasons;
}

const strongestSource = Math.max(...Object.values(sourceRank));

/** Best first; equal scores by id, so that the same question about the same rows has the same answer. */
export function rankRecall(
  candidates: readonly RecallCandidate[],
  asked: { readonly terms: readonly SoughtTerm[]; readonly ids: readonly string[] },
  corpus: Corpus,
  now: number,
): Ranked[] {
  return candidates
    .map((candidate) => {
      const { words, ids, terms } = relevanceOf(candidate, asked, corpus);
      const parts = {
        ids,
        words,
        recency: 2 ** (-Math.max(now - candidate.validFrom, 0) / recencyHalfLifeMs),
        confidence: candidate.confidence,
        source: sourceRank[candidate.source] / strongestSource,
      };
      const names = Object.keys(recallWeights) as (keyof typeof recallWeights)[];
      const score = names.reduce((sum, name) => sum + recallWeights[name] * parts[name], 0);
      const named = asked.ids.filter((id) => candidate.ids.includes(id));
      return { id: candidate.id, score, reasons: { parts, terms, ids: named } };
    })
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

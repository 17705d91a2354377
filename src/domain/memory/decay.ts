import type { MemorySource } from './candidate';

/** Half of what was inferred is taken to be wrong after this time, ms: 90 days. */
export const halfLifeMs = 90 * 86_400_000;

/** Below this confidence nothing is believed any more, until its owner confirms it. */
export const leastBelieved = 0.25;

/** Whether facts of this source fade. What somebody said, set, or a run recorded does not. */
export function fades(source: MemorySource): boolean {
  return source === 'inferred';
}

/** The confidence, 0 to 1, that is left of a fact `ageMs` after it was written. */
export function confidenceAt(source: MemorySource, confidence: number, ageMs: number): number {
  return fades(source) ? confidence * 2 ** (-Math.max(ageMs, 0) / halfLifeMs) : confidence;
}

/** After how many ms a fact falls below what is believed; null when it never does, 0 when it begins there. */
export function fadesAfterMs(source: MemorySource, confidence: number): number | null {
  if (!fades(source)) return null;
  if (confidence <= leastBelieved) return 0;
  return Math.floor(halfLifeMs * Math.log2(confidence / leastBelieved));
}

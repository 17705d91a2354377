import type { Turn } from '../thread/turn';
import { factsIn, inventedIn, mergedFacts, type Fact } from './facts';
import { bySeq, groupTurns } from './groups';
import { emptySummary, structuredSummary, wholeSummary, withFactsOf, type ThreadSummary } from './summary';
import { pruneToolOutput } from './toolOutput';

export const compactions = ['sliding_window', 'structured_summary', 'tool_pruning'] as const;
export type Compaction = (typeof compactions)[number];

/** How a thread is seen: a summary of what is not shown, and turns. The log is as it was. */
export interface ThreadView {
  readonly summary: ThreadSummary;
  readonly turns: readonly Turn[];
}

export interface CompactionOptions {
  /** Groups at the end that stay. */
  readonly keep: number;
  /** Runs that have not ended; what tools answered about them stays (R51). */
  readonly currentRuns: ReadonlySet<string>;
}

/** Before anything was compacted. */
export function wholeView(turns: readonly Turn[]): ThreadView {
  return { summary: emptySummary, turns };
}

/**
 * A smaller view of the same thread. After any number of compactions, each by any strategy, every id and amount of the
 * log is in the view, and no other (R52); a call has its result, and what is pending stays (R51).
 */
export function compact(view: ThreadView, strategy: Compaction, options: CompactionOptions): ThreadView {
  const groups = groupTurns(view.turns, options.currentRuns);
  if (strategy === 'tool_pruning') {
    const turns = pruneToolOutput(groups)
      .flatMap((group) => group.turns)
      .sort(bySeq);
    const shortened = view.turns.filter((turn) => !turns.includes(turn));
    return { summary: withFactsOf(view.summary, shortened), turns };
  }
  const first = groups.length - options.keep;
  const stays = groups.map(({ kept }, index) => kept || index >= first);
  const turnsOf = (kept: boolean) =>
    groups
      .filter((_, index) => stays[index] === kept)
      .flatMap((group) => group.turns)
      .sort(bySeq);
  const left = turnsOf(false);
  const fold = strategy === 'sliding_window' ? withFactsOf : structuredSummary;
  return { summary: fold(view.summary, left), turns: turnsOf(true) };
}

/** What differs between the log and a view of it: facts that are missing from the view, and facts that only it has. */
export function checkView(
  log: readonly Turn[],
  view: ThreadView,
): { readonly missing: Fact[]; readonly invented: Fact[] } {
  const factsOf = (texts: readonly string[]) =>
    mergedFacts(
      [],
      texts.flatMap((text) => factsIn(text)),
    );
  const known = factsOf(log.map(({ text }) => text));
  const shown = [wholeSummary(view.summary), ...view.turns.map(({ text }) => text)];
  const there = new Set(factsOf(shown).map(({ text }) => text));
  return {
    missing: known.filter(({ text }) => !there.has(text)),
    invented: shown.flatMap((text) => inventedIn(text, known)),
  };
}

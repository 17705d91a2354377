import { refusedKinds } from '../screening/screen';
import type { Turn } from '../thread/turn';
import { cutText, factLines, factsIn, inventedIn, mergedFacts, type Fact } from './facts';

export type CompactionStrategy = 'structured_summary' | 'model_summary';

/** Raised when the same turns would give another summary; those of other formats are computed anew. */
export const summaryFormat = 1;

interface Excerpt {
  readonly seq: number;
  readonly text: string;
}

/** What stands for turns that are not shown. The turns themselves stay in the log. */
export interface ThreadSummary {
  /** Every id and amount of those turns, found by code (R52). */
  readonly facts: readonly Fact[];
  /** What the thread began with. */
  readonly goal: Excerpt | null;
  /** The last things that were asked for. */
  readonly requests: readonly Excerpt[];
  /** What was noted as decided. */
  readonly decisions: readonly Excerpt[];
  /** Written by a model, and checked; null where none was, or was refused. */
  readonly prose: string | null;
}

export const emptySummary: ThreadSummary = {
  facts: [],
  goal: null,
  requests: [],
  decisions: [],
  prose: null,
};

const longestExcerpt = 280;
const requestsKept = 5;
const decisionsKept = 10;
const longestProse = 4_000;

/** Only the facts of `turns` go into the summary: what a sliding window leaves behind. */
export function withFactsOf(summary: ThreadSummary, turns: readonly Turn[]): ThreadSummary {
  const facts = mergedFacts(
    summary.facts,
    turns.flatMap(({ text }) => factsIn(text)),
  );
  return { ...summary, facts };
}

/**
 * `turns`, which follow what `summary` stands for, are folded into it by code alone: goal, requests, decisions, and every
 * id and amount. An excerpt that would show an id or an amount that was never said is left out.
 */
export function structuredSummary(summary: ThreadSummary, turns: readonly Turn[]): ThreadSummary {
  const { facts } = withFactsOf(summary, turns);
  const excerpts = (role: Turn['role']): Excerpt[] =>
    turns
      .filter((turn) => turn.role === role)
      .map(({ seq, text }) => ({ seq, text: cutText(text, longestExcerpt) }))
      .filter(({ text }) => inventedIn(text, facts).length === 0);
  const requests = excerpts('user');
  return {
    facts,
    goal: summary.goal ?? requests[0] ?? null,
    requests: [...summary.requests, ...requests].slice(-requestsKept),
    decisions: [...summary.decisions, ...excerpts('note')].slice(-decisionsKept),
    prose: null,
  };
}

/**
 * A model's summary in place of the excerpts, where it passes: nothing invented, nothing that must not be stored, not
 * too long. Else the structured summary stays as it is. The facts stand before it either way.
 */
export function withProse(summary: ThreadSummary, prose: string): ThreadSummary {
  const text = prose.trim();
  const passes =
    text !== '' &&
    text.length <= longestProse &&
    inventedIn(text, summary.facts).length === 0 &&
    refusedKinds(text).length === 0;
  return passes ? { ...summary, prose: text } : summary;
}

/** The same check for all of a summary, whoever wrote it: one that fails it is reduced to the facts. */
export function checkedSummary(summary: ThreadSummary): ThreadSummary {
  const text = wholeSummary(summary);
  const shown = new Set(factsIn(text).map((fact) => fact.text));
  const holds =
    inventedIn(text, summary.facts).length === 0 && summary.facts.every((fact) => shown.has(fact.text));
  return holds ? summary : { ...emptySummary, facts: summary.facts };
}

/** The summary without its facts, which stand in a place of their own. */
export function summaryText({ goal, requests, decisions, prose }: ThreadSummary): string {
  if (prose !== null) return prose;
  const line = (name: string, { seq, text }: Excerpt) => `${name}, turn ${seq}: ${text}`;
  return [
    ...(goal ? [line('goal', goal)] : []),
    ...requests.filter(({ seq }) => seq !== goal?.seq).map((request) => line('asked', request)),
    ...decisions.map((decision) => line('noted', decision)),
  ].join('\n');
}

/** All of it as text, facts first. */
export function wholeSummary(summary: ThreadSummary): string {
  return [factLines(summary.facts), summaryText(summary)].filter((text) => text !== '').join('\n');
}

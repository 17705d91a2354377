import type { TurnRole } from '../domain/thread/turn';

export interface TurnsToSummarize {
  /** What was said, in order. Untrusted: a model sees it as data. */
  readonly turns: readonly { readonly role: TurnRole; readonly text: string }[];
  /** The summary of what came before them; empty for none. */
  readonly before: string;
}

/** A model that summarizes. What it says is checked, and never the only place of an id or an amount (R52). */
export interface Summarizer {
  /** Rejects when there is no answer within `signal`; the structured summary stays then. */
  summarize(input: TurnsToSummarize, signal: AbortSignal): Promise<string>;
}

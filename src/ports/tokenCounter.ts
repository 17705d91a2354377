/** Counts as one family of models would. Counters differ, so what is counted is taken with a margin. */
export interface TokenCounter {
  /** Which one, for the manifest. */
  readonly name: string;
  /** The share by which another model may count more, for example 0.1. */
  readonly margin: number;
  /** Never throws, and takes time linear in the text, whatever it says (R54). */
  count(text: string): number;
}

/** A piece of long-term memory or of a document that may go into a context. Its text is untrusted (R53). */
export interface Passage {
  /** What it can be cited by: a memory's id, or `knowledge:<document>#<passage>`. */
  readonly id: string;
  readonly text: string;
  /** Whom it comes from: a memory's source, a document's title and heading. */
  readonly source: string;
  /** How well it answers the search that found it, higher is better; null where nothing was searched. */
  readonly score: number | null;
}

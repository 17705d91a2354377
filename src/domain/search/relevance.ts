/** One word of a question, as the index has it. */
export interface SoughtTerm {
  /** As it was asked. */
  readonly word: string;
  /** Without its ending, as it is compared. */
  readonly stem: string;
  /** Rows of the scope that have it; no more than were looked through. */
  readonly rows: number;
}

/** What is known of the scope that is searched. */
export interface Corpus {
  /** Rows in the scope; no more than were counted. */
  readonly rows: number;
  /** Different words a row, on average. */
  readonly averageSize: number;
}

/** What of the question a row has. */
export interface Match {
  readonly stems: readonly string[];
  readonly ids: readonly string[];
  /** Different words in the row. */
  readonly size: number;
}

export interface Relevance {
  /** 0 to 1: how much of the question's information the row has, less in a longer row. */
  readonly words: number;
  /** 0 to 1: the share of the ids in the question that the row names exactly. */
  readonly ids: number;
  /** The words of the question that count, with the weight of each. */
  readonly terms: readonly { readonly word: string; readonly weight: number }[];
}

const saturation = 1.2;
const lengthShare = 0.75;

/** What one more word says: a rare one much, one in every row nearly nothing (the idf of BM25). */
export function termWeight({ rows }: Pick<SoughtTerm, 'rows'>, corpus: Corpus): number {
  const total = Math.max(corpus.rows, rows);
  return rows === 0 ? 0 : Math.log(1 + (total - rows + 0.5) / (rows + 0.5));
}

/** BM25's damping for a row of `size` different words, for a word that it has once. */
export function lengthFactor(size: number, { averageSize }: Pick<Corpus, 'averageSize'>): number {
  const relative = averageSize > 0 ? size / averageSize : 1;
  return (saturation + 1) / (1 + saturation * (1 - lengthShare + lengthShare * relative));
}

/** How well one row answers the question; words that no row has say nothing. */
export function relevanceOf(
  match: Match,
  asked: { readonly terms: readonly SoughtTerm[]; readonly ids: readonly string[] },
  corpus: Corpus,
): Relevance {
  const has = new Set(match.stems);
  let whole = 0;
  let found = 0;
  const terms: { word: string; weight: number }[] = [];
  for (const term of asked.terms) {
    const weight = termWeight(term, corpus);
    whole += weight;
    if (!has.has(term.stem)) continue;
    found += weight;
    terms.push({ word: term.word, weight });
  }
  const best = lengthFactor(0, corpus);
  const named = asked.ids.filter((id) => match.ids.includes(id)).length;
  return {
    words: whole === 0 ? 0 : (found / whole) * (lengthFactor(match.size, corpus) / best),
    ids: asked.ids.length === 0 ? 0 : named / asked.ids.length,
    terms: terms.sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1)),
  };
}

import { sql, type RawBuilder } from 'kysely';
import { termWeight, type Corpus, type Match, type SoughtTerm } from '../../domain/search/relevance';
import { searchTokens } from '../../domain/search/tokens';
import type { Transaction } from './database';

/** Different words of a question that are looked for; a longer one is cut. */
const mostTerms = 48;
/** A word with more rows than this doesn't bring rows by itself where rarer words bring enough. */
const commonFrom = 2_000;

export interface TextMatches {
  readonly asked: { readonly terms: readonly SoughtTerm[]; readonly ids: readonly string[] };
  readonly corpus: Corpus;
  /** Those that have most of the question, roughly in that order, and no more than were wanted. */
  readonly matches: readonly (Match & { readonly id: string })[];
}

/**
 * What has words or ids of `text`, within the scope that the transaction is bound to and what `narrow` says of it. The
 * time is bounded whatever is asked: the number of words, and the rows that are looked through for each (R54).
 */
export async function searchText(
  trx: Transaction,
  kind: 'memory' | 'knowledge',
  text: string,
  narrow: RawBuilder<unknown>,
  atMost: number,
): Promise<TextMatches> {
  const { words, ids } = searchTokens(text);
  const stemmed = await stemsOf(trx, words);
  const { terms, corpus } = await frequencies(trx, kind, stemmed, narrow);
  const asked = { terms, ids };
  const known = terms.filter(({ rows }) => rows > 0);
  if (known.length === 0 && ids.length === 0) return { asked, corpus, matches: [] };
  const { rows } = await sql<{ id: string; stems_found: string[]; ids_found: string[]; size: number }>`
    select * from ${sql.raw(kind)}_matches(${known.map(({ stem }) => stem)}, ${known.map((term) => termWeight(term, corpus))},
      ${bringing(known, atMost)}, ${ids}, ${corpus.averageSize}, ${narrow}, ${atMost})`.execute(trx);
  return {
    asked,
    corpus,
    matches: rows.map((row) => ({ id: row.id, stems: row.stems_found, ids: row.ids_found, size: row.size })),
  };
}

/** Each stem once, with the first word that has it. */
async function stemsOf(
  trx: Transaction,
  words: readonly string[],
): Promise<{ word: string; stem: string }[]> {
  const different = [...new Set(words)].slice(0, 2 * mostTerms);
  if (different.length === 0) return [];
  const { rows } = await sql<{ word: string; stem: string }>`
    select word, stem from search_stems(${different}) order by place`.execute(trx);
  const first = new Map<string, string>();
  for (const { word, stem } of rows) if (!first.has(stem)) first.set(stem, word);
  return [...first].slice(0, mostTerms).map(([stem, word]) => ({ word, stem }));
}

async function frequencies(
  trx: Transaction,
  kind: string,
  stemmed: readonly { word: string; stem: string }[],
  narrow: RawBuilder<unknown>,
): Promise<{ terms: SoughtTerm[]; corpus: Corpus }> {
  const { rows } = await sql<{ corpus: number; average_size: number; found: number[] }>`
    select corpus, average_size, found::integer[] as found
    from ${sql.raw(kind)}_frequencies(${stemmed.map(({ stem }) => stem)}, ${narrow})`.execute(trx);
  const [found] = rows;
  return {
    terms: stemmed.map((term, i) => ({ ...term, rows: found?.found[i] ?? 0 })),
    corpus: { rows: found?.corpus ?? 0, averageSize: found?.average_size ?? 0 },
  };
}

/** The stems whose rows are looked at: all, but for common ones where the others bring enough. */
function bringing(known: readonly SoughtTerm[], atMost: number): string[] {
  const rare = known.filter(({ rows }) => rows <= commonFrom);
  const enough = rare.reduce((sum, { rows }) => sum + rows, 0) >= atMost;
  return (enough ? rare : known).map(({ stem }) => stem);
}

import { foldText } from '../screening/fold';

/** What a text is found by. The same function reads what is stored and what is asked. */
export interface SearchTokens {
  /** In order, with repetitions; of scripts without spaces, overlapping groups of characters. */
  readonly words: readonly string[];
  /** Ids as they stand there, in small letters: `order-42` is one, and also the words `order` and `42`. */
  readonly ids: readonly string[];
}

/** UTF-16 units that are read; what lies beyond is not found by. No stored value or passage is longer. */
export const longestSearched = 8_000;
const longestWord = 64;
const longestId = 128;
const mostIds = 200;

const word = /[\p{L}\p{M}\p{N}]+/gu;
const arabicMarks = /\u0640|[\u064b-\u0652]|\u0670/g;
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]+/gu;
const syllabic = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/u;

const idLike = /[\p{L}\p{N}][\p{L}\p{M}\p{N}_./:#@%+*=-]*/gu;
const idBreak = /[/:#@=]/;
const spelledAsId = /[\p{N}_]/u;
const joined = /[\p{L}_.-]/u;
const trailing = /[^\p{L}\p{M}\p{N}]+$/u;

/**
 * Takes a text apart into what it is found by. Linear in the text's length and never throws, whatever it says (R54);
 * full-width forms, accents, invisible characters and letter case make no difference.
 */
export function searchTokens(text: string): SearchTokens {
  const folded = foldText(text.slice(0, longestSearched)).text.toLowerCase().replace(arabicMarks, '');
  return { words: wordsOf(folded), ids: idsOf(folded) };
}

function wordsOf(folded: string): string[] {
  const words: string[] = [];
  for (const [run] of folded.matchAll(word)) {
    let from = 0;
    for (const { 0: dense, index } of run.matchAll(unspaced)) {
      add(words, run.slice(from, index));
      words.push(...grams(dense));
      from = index + dense.length;
    }
    add(words, run.slice(from));
  }
  return words;
}

function add(words: string[], spaced: string): void {
  if (spaced !== '') words.push(spaced.slice(0, longestWord).replace(/[\ud800-\udbff]$/, ''));
}

/**
 * Overlapping groups instead of dictionary words: they don't change with the dictionary of a newer Node, under which
 * what is stored would no longer be found. A lone character is its own group.
 */
function grams(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const sizes = syllabic.test(run) ? [1, 2] : [2, 3];
  return sizes.flatMap((size) =>
    Array.from({ length: Math.max(characters.length - size + 1, 0) }, (_, i) =>
      characters.slice(i, i + size).join(''),
    ),
  );
}

function idsOf(folded: string): string[] {
  const ids = new Set<string>();
  for (const [run] of folded.matchAll(idLike)) {
    for (const part of [run, ...run.split(idBreak)]) {
      const id = part.replace(trailing, '');
      if (isId(id)) ids.add(id);
      if (ids.size === mostIds) return [...ids];
    }
  }
  return [...ids];
}

/** A bare number is a word like others; an id has a digit or an underscore, and something that joins it. */
function isId(text: string): boolean {
  return text.length >= 2 && text.length <= longestId && spelledAsId.test(text) && joined.test(text);
}

/** A stretch of folded text, `[start, end)`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A pattern and, where a shape alone says too little, a check of what it matched (`[0]`) or captured (`[1]`). */
export interface Pattern {
  readonly shape: RegExp;
  readonly holds?: (value: string) => boolean;
}

/** Every match of patterns whose quantifiers are bounded or anchored, so the time is linear in the text. */
export function findPatterns(text: string, patterns: readonly Pattern[]): Span[] {
  const found: Span[] = [];
  for (const { shape, holds } of patterns) {
    for (const match of text.matchAll(shape)) {
      if (holds && !holds(match[1] ?? match[0])) continue;
      found.push({ start: match.index, end: match.index + match[0].length });
    }
  }
  return found;
}

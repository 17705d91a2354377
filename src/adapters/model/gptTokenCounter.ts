import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import type { TokenCounter } from '../../ports/tokenCounter';

/**
 * The tokenizer's time is quadratic in the length of a word, and of a gap: 200,000 times one letter took it 70 s.
 * Longer ones are counted in pieces.
 */
const longest = 128;
const longRuns = new RegExp(`\\S{${longest + 1},}|\\s{${longest + 1},}`, 'gu');
const pieces = new RegExp(`[^]{1,${longest}}`, 'gu');

/** Text such as `<|endoftext|>` is text like any other. */
const asText = { disallowedSpecial: new Set<string>() };

// Its cache of 100,000 words, once full, made everything two hundred times slower.
setMergeCacheSize(1_000);

/** Counts with the o200k encoding, in time linear in the text. */
export class GptTokenCounter implements TokenCounter {
  readonly name = 'o200k_base';

  constructor(readonly margin = 0.1) {}

  count(text: string): number {
    let tokens = 0;
    let from = 0;
    for (const { 0: run, index } of text.matchAll(longRuns)) {
      tokens += countTokens(text.slice(from, index), asText);
      for (const [piece] of run.matchAll(pieces)) tokens += countTokens(piece, asText);
      from = index + run.length;
    }
    return tokens + countTokens(text.slice(from), asText);
  }
}

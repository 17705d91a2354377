import { Lexer, type Token } from 'marked';
import type { Block, ReadDocument } from './document';
import { readPlainText } from './plainText';

/** Headings and what stands between them; the text stays as it is written, marks included. */
export function readMarkdown(text: string): ReadDocument {
  let tokens: Token[];
  try {
    // Blocks alone: what is inside a paragraph is quoted as it stands.
    tokens = new Lexer().blockTokens(text, []);
  } catch (error) {
    // Quotes within quotes, thousands deep: still a text.
    if (error instanceof RangeError) return { text, blocks: readPlainText(text) };
    throw error;
  }
  const blocks: Block[] = [];
  let at = 0;
  for (const token of tokens) {
    const end = at + token.raw.length;
    if (token.type === 'heading') {
      const { depth, text: title } = token as { depth: number; text: string };
      blocks.push({ kind: 'heading', level: depth, title: title.replace(/[*_`]+/g, '') });
    } else if (token.type !== 'space') blocks.push({ kind: 'text', start: at, end });
    at = end;
  }
  return { text, blocks };
}

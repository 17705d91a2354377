import { Lexer, Tokenizer, type Tokens } from 'marked';
import type { Block, ReadDocument } from './document';

/**
 * Headings and code as Markdown has them, and paragraphs. What nests (quotes, lists, tables) is read line by line instead:
 * a passage needs no more of it, and it takes the library quadratic time on text that was made for that (R54).
 */
class FlatTokenizer extends Tokenizer {
  override blockquote(): undefined {}
  override list(): undefined {}
  override html(): undefined {}
  override def(): undefined {}
  override table(): undefined {}
}

/** Headings and what stands between them; the text stays as it is written, marks included. */
export function readMarkdown(text: string): ReadDocument {
  const blocks: Block[] = [];
  let at = 0;
  const tokens = new Lexer({ tokenizer: new FlatTokenizer() }).blockTokens(text, []);
  for (const token of tokens) {
    const start = at;
    at += token.raw.length;
    if (token.type === 'heading') {
      const { depth, text: title } = token as Tokens.Heading;
      blocks.push({ kind: 'heading', level: depth, title: title.replace(/[*_`]+/g, '') });
    } else if (token.type !== 'space') blocks.push({ kind: 'text', start, end: at });
  }
  return { text, blocks };
}

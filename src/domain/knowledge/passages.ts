import { givesInstructions } from '../memory/authority';
import type { Block, ReadDocument } from './document';

/** A piece of a document that is found and cited as one. */
export interface Passage {
  /** From 1, in the order of the document. */
  readonly number: number;
  /** The headings that it stands under, outermost first. */
  readonly headings: readonly string[];
  /** Its place in the text of the document, UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly quote: string;
  /** Whether it speaks to a model. It is data whatever it says; whoever shows it can say so (R53). */
  readonly instructs: boolean;
}

/** No passage is longer, UTF-16 units. */
export const longestPassage = 1_200;
/** A passage that has reached this takes no further paragraph. */
const enough = 800;
const longestHeading = 200;

/** Paragraphs under one heading are put together up to a bounded size; a longer one is cut, at a sentence if it can be. */
export function passagesOf({ text, blocks }: ReadDocument): Passage[] {
  const passages: Passage[] = [];
  let open: { start: number; end: number } | undefined;
  const path: { level: number; title: string }[] = [];
  const close = (): void => {
    if (open) passages.push(...cut(text, open, path, passages.length));
    open = undefined;
  };
  for (const block of blocks) {
    if (block.kind === 'heading') {
      close();
      enter(path, block);
      continue;
    }
    const full = open && (open.end - open.start >= enough || block.end - open.start > longestPassage);
    if (full) close();
    open = { start: open?.start ?? block.start, end: block.end };
  }
  close();
  return passages;
}

/** The title that a document gives itself. */
export function titleOf({ blocks }: Pick<ReadDocument, 'blocks'>): string | undefined {
  const first = blocks.find((block) => block.kind === 'heading');
  return first?.kind === 'heading' && first.title.trim() !== '' ? shortened(first.title) : undefined;
}

function enter(
  path: { level: number; title: string }[],
  { level, title }: Extract<Block, { kind: 'heading' }>,
): void {
  while ((path.at(-1)?.level ?? 0) >= level) path.pop();
  path.push({ level, title: shortened(title) });
}

function cut(
  text: string,
  { start, end }: { start: number; end: number },
  path: readonly { title: string }[],
  before: number,
): Passage[] {
  const passages: Passage[] = [];
  for (let at = start; at < end;) {
    const to = end - at <= longestPassage ? end : at + cutAt(text.slice(at, at + longestPassage));
    const piece = text.slice(at, to);
    const quote = piece.trim();
    if (quote !== '') {
      const from = at + piece.indexOf(quote);
      passages.push({
        number: before + passages.length + 1,
        headings: path.map(({ title }) => title),
        start: from,
        end: from + quote.length,
        quote,
        instructs: givesInstructions(quote),
      });
    }
    at = to;
  }
  return passages;
}

/** Where a text that is too long is cut: after a sentence, else between words, else between characters. */
function cutAt(window: string): number {
  const half = window.length >> 1;
  const [sentence, space] = [/[.!?。！？।]["')\]]?\s*/gu, /\s+/gu].map((boundary) =>
    [...window.matchAll(boundary)]
      .map(({ 0: found, index }) => index + found.length)
      .findLast((at) => at > half),
  );
  const end = sentence ?? space ?? window.length;
  return /[\ud800-\udbff]$/.test(window.slice(0, end)) ? end - 1 : end;
}

function shortened(title: string): string {
  return [...title.trim()].slice(0, longestHeading).join('');
}

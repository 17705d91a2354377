import type { Block } from './document';

/** Paragraphs between empty lines. */
export function readPlainText(text: string, from = 0, to = text.length): Block[] {
  const blocks: Block[] = [];
  let start = from;
  for (const { 0: gap, index } of text.slice(from, to).matchAll(/\n\n+/g)) {
    blocks.push({ kind: 'text', start, end: from + index });
    start = from + index + gap.length;
  }
  blocks.push({ kind: 'text', start, end: to });
  return blocks.filter(
    (block) => block.kind === 'heading' || text.slice(block.start, block.end).trim() !== '',
  );
}

import { compile, type FormatCallback } from 'html-to-text';
import type { Block, ReadDocument } from './document';
import { readPlainText } from './plainText';

/** Stands before a heading, once for each level, from a plane that no script uses. */
const mark = '\u{10fffd}';

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  const { name } = element as { name?: string };
  builder.addInline(mark.repeat(Number(name?.slice(1)) || 1), { noWordTransform: true });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

const unseen = [
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'svg',
  'iframe',
  '[hidden]',
  '[aria-hidden="true"]',
];

const toText = compile({
  wordwrap: false,
  limits: { maxInputLength: 2_000_000, maxDepth: 200, ellipsis: '' },
  formatters: { heading },
  selectors: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'heading' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ...unseen.map((selector) => ({ selector, format: 'skip' })),
  ],
});

/** What a reader of the page sees, paragraph by paragraph. */
export function readHtml(source: string): ReadDocument {
  let written = '';
  const blocks: Block[] = [];
  const seen = toText(source).replaceAll('\u00a0', ' ');
  for (const block of readPlainText(seen)) {
    if (block.kind === 'heading') continue;
    const paragraph = seen.slice(block.start, block.end).trim();
    const title = paragraph.replaceAll(mark, '');
    if (paragraph.startsWith(mark)) {
      const level = /^\u{10fffd}+/u.exec(paragraph)?.[0].length ?? mark.length;
      blocks.push({
        kind: 'heading',
        level: Math.min(level / mark.length, 6),
        title: title.replace(/\s+/g, ' '),
      });
    } else blocks.push({ kind: 'text', start: written.length, end: written.length + title.length });
    written += `${title}\n\n`;
  }
  return { text: written, blocks };
}

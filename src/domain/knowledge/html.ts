import { compile, type FormatCallback } from 'html-to-text';
import { CountersignError } from '../errors';
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

const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' | ');
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
  formatters: { heading, cell },
  selectors: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, format: 'heading' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'img', format: 'skip' },
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...unseen.map((selector) => ({ selector, format: 'skip' })),
  ],
});

/** Open elements at a time; no page that people read has so many, and each costs the parser more than the last. */
const deepest = 300;
const tag = /<(\/?)([a-z][a-z0-9-]*)([^<>]*)/gi;
/** Elements that stand without an end, or end by themselves where the next begins. */
const endless = new Set(
  'area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
);

/**
 * What a reader of the page sees, paragraph by paragraph.
 * @throws CountersignError invalid_request
 */
export function readHtml(source: string): ReadDocument {
  refuseDeepNesting(source);
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

function refuseDeepNesting(source: string): void {
  let open = 0;
  for (const [, end, name = '', rest = ''] of source.matchAll(tag)) {
    if (rest.endsWith('/') || endless.has(name.toLowerCase())) continue;
    open = end === '/' ? Math.max(open - 1, 0) : open + 1;
    if (open > deepest)
      throw new CountersignError('invalid_request', `text: its elements nest deeper than ${deepest}`);
  }
}

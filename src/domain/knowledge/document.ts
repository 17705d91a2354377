import { z } from 'zod';
import { freeText } from '../refund/request';
import { readHtml } from './html';
import { readMarkdown } from './markdown';
import { readPlainText } from './plainText';

export const documentFormats = ['text', 'markdown', 'html'] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** The longest document, UTF-16 units. A longer one is several. */
export const longestDocument = 500_000;

/** Stands in addresses and citations; `search` is an address of its own. */
export const documentId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,79}$/, 'small letters, digits, points, hyphens and underscores')
  .refine((id) => id !== 'search', 'search is an address of its own');

export const documentBody = z.strictObject({
  document: documentId,
  format: z.enum(documentFormats),
  text: freeText.max(longestDocument).refine((text) => text.trim() !== '', 'it holds no text'),
  /** By default the first heading, or the id. */
  title: freeText.min(1).max(200).optional(),
});
export type DocumentBody = z.infer<typeof documentBody>;

/** A piece of a document in its order: a heading, or the place of a paragraph. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly title: string }
  | { readonly kind: 'text'; readonly start: number; readonly end: number };

/** A document as it is read: places are UTF-16 offsets into `text`. */
export interface ReadDocument {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/**
 * What a source says, without its wrapping. Markdown and plain text keep their own text, HTML becomes text.
 * @throws CountersignError invalid_request for HTML that nests too deep
 */
export function readDocument(format: DocumentFormat, source: string): ReadDocument {
  const lines = source.replace(/\r\n?/g, '\n');
  switch (format) {
    case 'markdown':
      return readMarkdown(lines);
    case 'html':
      return readHtml(lines);
    case 'text':
      return { text: lines, blocks: readPlainText(lines) };
  }
}

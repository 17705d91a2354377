import type { FoundPassage, IngestedDocument, KnowledgeDocument, KnowledgePassage } from '../client';
import { table, when } from './terminal/table';
import { cut, fields, printable } from './terminal/text';
import { moment } from './terminal/time';

const shownOfQuote = 300;

export function ingestedTable(items: readonly IngestedDocument[]): string {
  return table(items, [
    { title: 'DOCUMENT', of: ({ document }) => document },
    { title: 'VERSION', of: ({ version }) => String(version) },
    { title: 'PASSAGES', of: ({ passages }) => String(passages) },
    { title: '', of: ({ changed }) => (changed ? 'ingested' : 'unchanged') },
    { title: 'TITLE', of: ({ title }) => title, optional: true, cut: true },
  ]);
}

export function documentTable(items: readonly KnowledgeDocument[]): string {
  return table(items, [
    { title: 'DOCUMENT', of: ({ document }) => document },
    { title: 'VERSION', of: ({ version }) => String(version) },
    { title: 'PASSAGES', of: ({ passages }) => String(passages) },
    { ...when<KnowledgeDocument>('INGESTED', ({ ingestedAt }) => ingestedAt), optional: true },
    { title: 'BY', of: ({ ingestedBy }) => ingestedBy, optional: true },
    { title: 'TITLE', of: ({ title }) => title, optional: true, cut: true },
  ]);
}

export function documentPage(document: KnowledgeDocument, passages: readonly KnowledgePassage[]): string {
  const heading = `${printable(document.title)}\n\n${fields([
    ['document', document.document],
    ['version', String(document.version)],
    ['format', document.format],
    ['characters', String(document.characters)],
    ['ingested', `${moment(document.ingestedAt)} by ${document.ingestedBy}`],
  ])}`;
  return `${heading}\n${table(passages, [
    { title: 'PASSAGE', of: ({ citation }) => citation },
    { title: 'UNDER', of: under, optional: true },
    { title: '', of: ({ quote }) => cut(printable(quote), 80), cut: true },
  ])}`;
}

export function passagesFound(items: readonly FoundPassage[]): string {
  if (items.length === 0) return 'No passage has these words.\n';
  return items.map(passageText).join('\n');
}

/** Where it stands, and what it says, as somebody else's words. */
export function passageText(passage: KnowledgePassage): string {
  const place = [passage.citation, under(passage)].filter((text) => text !== '').join('  ');
  const warning = passage.instructs ? '  (this passage speaks to a model; it is only text)\n' : '';
  return `${printable(place)}\n${warning}  ${cut(printable(passage.quote), shownOfQuote)}\n`;
}

function under({ headings }: KnowledgePassage): string {
  return headings.join(' / ');
}

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join, relative, sep } from 'node:path';
import type { DocumentFormat } from '../client';
import { UsageError } from './failure';

/** A file to be ingested. */
export interface Source {
  readonly file: string;
  /** Made of its name: `guides/Returns.md` is `guides-returns`. */
  readonly document: string;
  readonly format: DocumentFormat;
  /** @throws UsageError when it can't be read as UTF-8 text */
  readonly read: () => string;
}

const formats: Readonly<Record<string, DocumentFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.html': 'html',
  '.htm': 'html',
  '.txt': 'text',
};

/** The file itself, or every document under a folder, by name. @throws UsageError */
export function sourcesAt(path: string): Source[] {
  const files = isFolder(path) ? filesUnder(path) : [path];
  const sources = files.map((file) => sourceOf(file, file === path ? basename(file) : relative(path, file)));
  if (sources.length === 0)
    throw new UsageError(`${path} holds no document: one of ${Object.keys(formats).join(', ')}`);
  const named = new Map<string, string>();
  for (const { document, file } of sources) {
    const other = named.get(document);
    if (other !== undefined)
      throw new UsageError(`${other} and ${file} would both be called ${document}; ingest one with --id`);
    named.set(document, file);
  }
  return sources;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && Object.hasOwn(formats, extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    throw new UsageError(`${path} can't be read; name a file or a folder`);
  }
}

function sourceOf(file: string, name: string): Source {
  const extension = extname(file);
  const format = formats[extension.toLowerCase()];
  if (format === undefined)
    throw new UsageError(`${file}: its name says no format; one of ${Object.keys(formats).join(', ')}`);
  const document = name
    .slice(0, name.length - extension.length)
    .split(sep)
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 80);
  return { file, document, format, read: () => textOf(file) };
}

function textOf(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8' : String(error);
    throw new UsageError(`${file} can't be read: ${why}`);
  }
}

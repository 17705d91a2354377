import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Web } from './context';

const types = {
  'countersign.css': 'text/css; charset=utf-8',
  'choose.js': 'text/javascript; charset=utf-8',
  'forms.js': 'text/javascript; charset=utf-8',
  'keyboard.js': 'text/javascript; charset=utf-8',
  'live.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
type Name = keyof typeof types;

const files = new Map<string, { content: Buffer; type: string }>(
  Object.entries(types).map(([name, type]) => [
    name,
    { content: readFileSync(join(__dirname, 'assets', name)), type },
  ]),
);

/** One version over all files, so that a script finds the others beside it. */
const version = createHash('sha256')
  .update(Buffer.concat([...files.values()].map(({ content }) => content)))
  .digest('hex')
  .slice(0, 12);

/** The address of one of our own files; another content is another address, so browsers keep each for good. */
export function asset(name: Name): string {
  return `/assets/${version}/${name}`;
}

export function assetRoutes(web: Web): void {
  web.get('/assets/:version/:name', (c) => {
    const file = files.get(c.req.param('name'));
    if (!file || c.req.param('version') !== version) return c.notFound();
    c.header('content-type', file.type);
    c.header('cache-control', 'public, max-age=31536000, immutable');
    return c.body(new Uint8Array(file.content));
  });
}

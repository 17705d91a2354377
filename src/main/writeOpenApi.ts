import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Database } from '../adapters/postgres/database';
import { PostgresRunWatch } from '../adapters/postgres/runWatch';
import { TemporalEngine } from '../adapters/temporal/engine';
import { createApi } from '../http/app';
import type { Api } from '../http/context';
import { openApiDocument } from '../http/document';
import { apiParts } from './apiParts';
import { packageRoot, version } from './version';

export const openApiFile = join(packageRoot, 'docs', 'openapi.json');

/** The API as it is served, over parts that connect only when used; nothing here uses them. */
export function unconnectedApi(): Api {
  const nowhere = 'postgresql://nobody@127.0.0.1:1/nothing';
  const database = new Database(nowhere);
  const engine = TemporalEngine.lazily(
    { address: '127.0.0.1:1', namespace: 'none' },
    'no customer is hashed',
  );
  return createApi({
    ...apiParts({ database, engine, stripe: { apiKey: 'none', account: 'none' } }),
    watch: new PostgresRunWatch(nowhere),
    inboxWatch: new PostgresRunWatch(nowhere, 'countersign_inbox'),
    readiness: {},
    version,
    onUnexpected: (error) => {
      throw error;
    },
  });
}

/** The OpenAPI document as text; the same for the same code, so that a change shows in a review. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(unconnectedApi(), version), null, 2)}\n`;
}

if (require.main === module) {
  mkdirSync(dirname(openApiFile), { recursive: true });
  writeFileSync(openApiFile, openApiText());
  console.log(`OpenAPI document: ${openApiFile}`);
}

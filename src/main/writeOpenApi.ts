import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CedarAuthorization } from '../adapters/policy/cedar';
import { Database } from '../adapters/postgres/database';
import { PostgresAuditLog } from '../adapters/postgres/auditLog';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresAuthenticator } from '../adapters/postgres/people';
import { PostgresRunWatch } from '../adapters/postgres/runWatch';
import { PostgresProviderEvents } from '../adapters/postgres/reviews';
import { PostgresStore } from '../adapters/postgres/store';
import { ChannelSignatures } from '../adapters/signatures';
import { JwsAnchorSigner } from '../adapters/signatures/anchorJws';
import { StripePayments } from '../adapters/payments/stripe';
import { StripeWebhooks } from '../adapters/payments/stripeWebhooks';
import { TemporalEngine } from '../adapters/temporal/engine';
import { TemporalRunStates } from '../adapters/temporal/runStates';
import { createApi, openApiDocument } from '../http/app';
import type { Api } from '../http/context';
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
    store: new PostgresStore(database),
    engine,
    runStates: new TemporalRunStates(engine.client),
    payments: new StripePayments({ apiKey: 'none', account: 'none' }),
    signatures: new ChannelSignatures(database),
    authorization: new CedarAuthorization(),
    webhooks: new StripeWebhooks('none', undefined),
    providerEvents: new PostgresProviderEvents(database),
    memory: new PostgresMemories(database),
    auditLog: new PostgresAuditLog(database),
    anchorSigner: new JwsAnchorSigner({}),
    authenticator: new PostgresAuthenticator(database),
    watch: new PostgresRunWatch(nowhere),
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

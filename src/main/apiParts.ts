import type { JWK } from 'jose';
import { CedarAuthorization } from '../adapters/policy/cedar';
import { PostgresAuditLog } from '../adapters/postgres/auditLog';
import type { Database } from '../adapters/postgres/database';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresRecall } from '../adapters/postgres/recall';
import { PostgresAuthenticator } from '../adapters/postgres/people';
import { PostgresProviderEvents } from '../adapters/postgres/reviews';
import { PostgresStore } from '../adapters/postgres/store';
import { ChannelSignatures } from '../adapters/signatures';
import { JwsAnchorSigner } from '../adapters/signatures/anchorJws';
import { StripePayments, type StripeSettings } from '../adapters/payments/stripe';
import { StripeWebhooks } from '../adapters/payments/stripeWebhooks';
import type { TemporalEngine } from '../adapters/temporal/engine';
import { TemporalRunStates } from '../adapters/temporal/runStates';
import type { HttpDependencies } from '../http/context';

/** The connections that an API stands on; whoever makes them closes them. */
export interface ApiGround {
  readonly database: Database;
  readonly engine: TemporalEngine;
  readonly stripe: StripeSettings;
  readonly webhookSecret?: string | undefined;
  /** Without one this API signs neither decisions nor anchors. */
  readonly signingKey?: JWK;
}

/** Every port of the API over its ground: a new port is named here and nowhere else. */
export function apiParts({ database, engine, stripe, webhookSecret, signingKey }: ApiGround) {
  const authorization = new CedarAuthorization();
  return {
    store: new PostgresStore(database),
    engine,
    runStates: new TemporalRunStates(engine.client),
    payments: new StripePayments(stripe),
    signatures: new ChannelSignatures(database, signingKey),
    authorization,
    webhooks: new StripeWebhooks(stripe.account, webhookSecret),
    providerEvents: new PostgresProviderEvents(database),
    recall: new PostgresRecall(database),
    memory: new PostgresMemories(database, authorization),
    // Its table of words is large, and only contexts are counted.
    tokens: async () => new (await import('../adapters/model/gptTokenCounter.js')).GptTokenCounter(),
    auditLog: new PostgresAuditLog(database),
    anchorSigner: new JwsAnchorSigner(signingKey ?? {}),
    authenticator: new PostgresAuthenticator(database),
  } satisfies Partial<HttpDependencies>;
}

import { CedarAuthorization } from '../adapters/policy/cedar';
import type { Database } from '../adapters/postgres/database';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresRecall } from '../adapters/postgres/recall';
import { PostgresStore } from '../adapters/postgres/store';
import { StripePayments } from '../adapters/payments/stripe';
import { ChannelSignatures } from '../adapters/signatures';
import type { TemporalEngine } from '../adapters/temporal/engine';
import { agentDesk } from '../application/agent/carryAgentRun';
import type { AgentDesk } from '../ports/agentDesk';
import { modelParts } from './modelParts';
import type { Settings } from './settings';
import { stripeSettings } from './wiring';

/** What agent runs do, over the connections of a worker. */
export function agentOver({
  database,
  engine,
  settings,
}: {
  readonly database: Database;
  readonly engine: TemporalEngine;
  readonly settings: Settings;
}): AgentDesk {
  const authorization = new CedarAuthorization();
  return agentDesk({
    store: new PostgresStore(database),
    engine,
    payments: new StripePayments(stripeSettings(settings)),
    signatures: new ChannelSignatures(database),
    authorization,
    memory: new PostgresMemories(database, authorization),
    recall: new PostgresRecall(database),
    // Its table of words is large, and only contexts are counted.
    tokens: async () => new (await import('../adapters/model/gptTokenCounter.js')).GptTokenCounter(),
    contextTokens: settings.COUNTERSIGN_MODEL_CONTEXT_TOKENS,
    ...modelParts(settings),
  });
}

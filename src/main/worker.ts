import { writeFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createActivities } from '../../activities';
import type { Dependencies } from '../../activities/dependencies';
import { CedarAuthorization } from '../adapters/policy/cedar';
import { Database } from '../adapters/postgres/database';
import { reasonToKeep } from '../adapters/postgres/erasure/registry';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresStore } from '../adapters/postgres/store';
import { ChannelSignatures } from '../adapters/signatures';
import { StripePayments } from '../adapters/payments/stripe';
import { TemporalEngine } from '../adapters/temporal/engine';
import { TemporalHistories } from '../adapters/temporal/histories';
import { createBulkWorker, createRefundWorker } from '../adapters/temporal/worker';
import { batchIntake } from '../application/batches/intake';
import { agentOver } from './agentParts';
import { createLogger } from './logger';
import { stopWithDignity } from './processLife';
import { required, type Settings } from './settings';
import { encryptedWorkflowBundle, workflowBundle } from './version';
import { stripeSettings, temporalSettings } from './wiring';

/** An hour less than the provider's 24: a key is never sent again when the provider may have forgotten it (R5). */
const providerKeyWindowMs = 23 * 3_600_000;

/** One worker process; any number of them, on any machine. */
export async function runWorker(settings: Settings): Promise<void> {
  const logger = createLogger('worker', settings.LOG_LEVEL);
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const report = level === 'ERROR' ? logger.error.bind(logger) : logger.warn.bind(logger);
      report(
        {
          workflowId: meta?.['workflowId'],
          activityType: meta?.['activityType'],
          attempt: meta?.['attempt'],
        },
        message,
      );
    }),
  });
  const databaseUrl = required(settings, 'DATABASE_URL');
  const database = new Database(databaseUrl, 20);
  // Batches have connections of their own, so that they never take the last one.
  const bulkDatabase = new Database(databaseUrl, 10);
  const temporal = temporalSettings(settings);
  const histories = TemporalHistories.lazily(temporal);
  const engine = TemporalEngine.lazily(temporal, settings.COUNTERSIGN_HASH_KEY);
  const workerSettings = {
    temporal,
    workflowBundle: temporal.encryptionKeys ? encryptedWorkflowBundle : workflowBundle,
  };
  const activitiesOver = (over: Database) =>
    createActivities(dependenciesOf(settings, { database: over, histories, engine }));
  const { worker, connection } = await createRefundWorker(workerSettings, activitiesOver(database));
  const bulk = await createBulkWorker(workerSettings, connection, activitiesOver(bulkDatabase), {
    concurrency: settings.COUNTERSIGN_BULK_CONCURRENCY,
    callsPerSecond: settings.COUNTERSIGN_BULK_CALLS_PER_SECOND,
  });
  const running = Promise.all([worker.run(), bulk.run()]);
  stopWithDignity(async () => {
    worker.shutdown();
    bulk.shutdown();
    await running;
    const all = [connection, histories, engine, database, bulkDatabase];
    await Promise.allSettled(all.map((one) => one.close()));
  });
  logger.info('worker polls');
  if (settings.COUNTERSIGN_READY_FILE !== undefined)
    writeFileSync(settings.COUNTERSIGN_READY_FILE, String(process.pid));
  await running;
}

interface Ground {
  readonly database: Database;
  readonly histories: TemporalHistories;
  readonly engine: TemporalEngine;
}

function dependenciesOf(settings: Settings, { database, histories, engine }: Ground): Dependencies {
  const store = new PostgresStore(database);
  const authorization = new CedarAuthorization();
  return {
    store,
    payments: new StripePayments(stripeSettings(settings)),
    signatures: new ChannelSignatures(database),
    authorization,
    memory: new PostgresMemories(database, authorization),
    histories,
    reasonToKeep,
    batches: batchIntake({ store, authorization }),
    agent: agentOver({ database, engine, settings }),
    providerKeyWindowMs,
    reconcileGraceMs: settings.COUNTERSIGN_RECONCILE_GRACE_SECONDS * 1_000,
  };
}

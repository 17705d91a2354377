import { writeFileSync } from 'node:fs';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createActivities } from '../../activities';
import { CedarAuthorization } from '../adapters/policy/cedar';
import { Database } from '../adapters/postgres/database';
import { reasonToKeep } from '../adapters/postgres/erasure/registry';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresStore } from '../adapters/postgres/store';
import { ChannelSignatures } from '../adapters/signatures';
import { StripePayments } from '../adapters/payments/stripe';
import { TemporalEngine } from '../adapters/temporal/engine';
import { TemporalHistories } from '../adapters/temporal/histories';
import { createRefundWorker } from '../adapters/temporal/worker';
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
  const database = new Database(required(settings, 'DATABASE_URL'), 20);
  const temporal = temporalSettings(settings);
  const histories = TemporalHistories.lazily(temporal);
  const engine = TemporalEngine.lazily(temporal, settings.COUNTERSIGN_HASH_KEY);
  const { worker, connection } = await createRefundWorker(
    { temporal, workflowBundle: temporal.encryptionKeys ? encryptedWorkflowBundle : workflowBundle },
    createActivities({
      store: new PostgresStore(database),
      payments: new StripePayments(stripeSettings(settings)),
      signatures: new ChannelSignatures(database),
      authorization: new CedarAuthorization(),
      memory: new PostgresMemories(database, new CedarAuthorization()),
      histories,
      reasonToKeep,
      providerKeyWindowMs,
      reconcileGraceMs: settings.COUNTERSIGN_RECONCILE_GRACE_SECONDS * 1_000,
      agent: agentOver({ database, engine, settings }),
    }),
  );
  const running = worker.run();
  stopWithDignity(async () => {
    worker.shutdown();
    await running;
    await Promise.allSettled([connection.close(), histories.close(), engine.close(), database.close()]);
  });
  logger.info('worker polls');
  if (settings.COUNTERSIGN_READY_FILE !== undefined)
    writeFileSync(settings.COUNTERSIGN_READY_FILE, String(process.pid));
  await running;
}

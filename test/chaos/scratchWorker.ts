import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createActivities } from '../../activities';
import type { Dependencies } from '../../activities/dependencies';
import { StripePayments } from '../../src/adapters/payments/stripe';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { reasonToKeep } from '../../src/adapters/postgres/erasure/registry';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { TemporalHistories } from '../../src/adapters/temporal/histories';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { ChannelSignatures } from '../../src/adapters/signatures';
import { createRefundWorker } from '../../src/adapters/temporal/worker';
import { batchIntake } from '../../src/application/batches/intake';
import { noAgentRuns } from '../support/agentDesk';
import { fromSetup } from '../support/shared';
import type { TestStack } from '../support/stack';

export interface ScratchWorker {
  stop(): Promise<void>;
}

/**
 * A worker in this process, so that a test can give it another bundle, or spoil one of its dependencies to show
 * that the checks would notice. Everything else is wired as the product does it.
 */
export async function startScratchWorker(
  stack: TestStack,
  bundle: { code: string },
  spoil: (dependencies: Dependencies) => Dependencies = (dependencies) => dependencies,
): Promise<ScratchWorker> {
  const codePath = join(fromSetup('FOLDER'), `${stack.temporal.namespace}-scratch-bundle.js`);
  writeFileSync(codePath, bundle.code);
  const database = new Database(stack.database.url, 5);
  const temporal = { address: fromSetup('TEMPORAL_ADDRESS'), namespace: stack.temporal.namespace };
  const store = new PostgresStore(database);
  const activities = createActivities(
    spoil({
      store,
      payments: new StripePayments({
        apiKey: stack.provider.key,
        apiBase: stack.provider.url,
        account: 'default',
      }),
      signatures: new ChannelSignatures(database),
      authorization: new CedarAuthorization(),
      memory: new PostgresMemories(database, new CedarAuthorization()),
      histories: TemporalHistories.lazily(temporal),
      reasonToKeep,
      batches: batchIntake({ store, authorization: new CedarAuthorization() }),
      agent: noAgentRuns,
      providerKeyWindowMs: 23 * 3_600_000,
    }),
  );
  const { worker, connection } = await createRefundWorker(
    {
      temporal,
      workflowBundle: codePath,
    },
    activities,
  );
  const running = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await database.close();
    },
  };
}

import { Connection } from '@temporalio/client';
import { connectionOptions, type TemporalSettings } from '../../adapters/temporal/connection';
import { searchAttributes, taskQueues } from '../../domain/contract';
import { finding, inTurn, patienceMs, Wrong, type Finding } from './finding';

/** As the API numbers them. */
const queueTypes = { workflows: 1, activities: 2 } as const;

/** A poll is renewed every minute; the server lists a worker for five after it died. */
const freshMs = 90_000;

/** Temporal: reachable, with our namespace and search attributes, and a worker that polls. */
export async function checkTemporal(settings: TemporalSettings, whenDown: string): Promise<Finding[]> {
  const connection = Connection.lazy({ ...connectionOptions(settings), connectTimeout: patienceMs });
  const { namespace } = settings;
  try {
    return await inTurn(
      () => finding('temporal', whenDown, () => reach(connection, settings)),
      () => finding('namespace', createNamespace(namespace), () => checkNamespace(connection, namespace)),
      () => finding('search attributes', addAttributes, () => checkAttributes(connection, namespace)),
      () => finding('workers', startWorker, () => checkWorkers(connection, namespace)),
    );
  } finally {
    await connection.close();
  }
}

const startWorker = 'start one: countersign worker';
const createNamespace = (name: string) => `temporal operator namespace create --namespace ${name}`;
const addAttributes = 'docker/temporal/namespace.sh adds them; countersign up does so by itself';

async function reach(connection: Connection, { address }: TemporalSettings): Promise<string> {
  await connection.ensureConnected();
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  return `Temporal ${serverVersion} at ${address}`;
}

async function checkNamespace(connection: Connection, namespace: string): Promise<string> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  return `${namespace}, keeps ended runs for ${seconds / 3_600} h`;
}

async function checkAttributes(connection: Connection, namespace: string): Promise<string> {
  const missing: string[] = [];
  for (const name of Object.keys(searchAttributes)) {
    // Works where listing attributes needs an operator's rights.
    await connection.workflowService
      .countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` })
      .catch((error: Error) => {
        if (!error.message.includes(name)) throw error;
        missing.push(name);
      });
  }
  if (missing.length > 0) throw new Wrong(`missing: ${missing.join(', ')}`, addAttributes);
  return `all ${Object.keys(searchAttributes).length} are there`;
}

async function checkWorkers(connection: Connection, namespace: string): Promise<string> {
  const counts = await Promise.all(
    Object.values(queueTypes).map(async (taskQueueType) => {
      const { pollers } = await connection.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueues.refunds },
        taskQueueType,
      });
      const fresh = pollers.filter(
        ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 > Date.now() - freshMs,
      );
      return new Set(fresh.map(({ identity }) => identity)).size;
    }),
  );
  const least = Math.min(...counts);
  if (least === 0)
    throw new Wrong(`no worker polls the task queue ${taskQueues.refunds}: refunds wait`, startWorker);
  return `${least} ${least === 1 ? 'worker polls' : 'workers poll'} the task queue ${taskQueues.refunds}`;
}

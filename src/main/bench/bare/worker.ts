import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createBareActivities } from './activities';
import { bareTaskQueue, type BareNews, type BareWorkerSettings } from './contract';

/** A worker as the SDK's samples write it, with the number of slots that Countersign's worker has. */
async function run(settings: BareWorkerSettings): Promise<void> {
  const tell = (news: BareNews): void => void process.send?.(news);
  Runtime.install({ shutdownSignals: [], logger: new DefaultLogger('WARN') });
  const connection = await NativeConnection.connect({ address: settings.temporalAddress });
  const worker = await Worker.create({
    connection,
    namespace: settings.namespace,
    taskQueue: bareTaskQueue,
    workflowsPath: require.resolve('./workflow'),
    activities: createBareActivities(settings, tell),
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
  });
  const running = worker.run();
  const stop = (): void => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  process.once('SIGTERM', stop);
  // The bench is gone, however it went.
  process.once('disconnect', stop);
  tell({ polls: true });
  await running;
  await connection.close();
}

run(JSON.parse(process.argv[2] ?? '{}') as BareWorkerSettings).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

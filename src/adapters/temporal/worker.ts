import { existsSync } from 'node:fs';
import {
  NativeConnection,
  Worker,
  type NativeConnectionOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { taskQueues } from '../../domain/contract';
import { connectionOptions, dataConverterFor, type TemporalSettings } from './connection';

export interface RefundWorkerSettings {
  readonly temporal: TemporalSettings;
  /** The prebuilt bundle; without it the worker would bundle for seconds at every start. */
  readonly workflowBundle: string;
  readonly identity?: string;
}

/** A worker for the refunds task queue. `activities` come from createActivities; src/main wires them. */
export async function createRefundWorker(
  settings: RefundWorkerSettings,
  activities: object,
): Promise<{ worker: Worker; connection: NativeConnection }> {
  if (!existsSync(settings.workflowBundle)) {
    throw new Error(`there is no workflow bundle at ${settings.workflowBundle}; run: npm run build`);
  }
  const connection = await NativeConnection.connect(
    connectionOptions(settings.temporal) as NativeConnectionOptions,
  );
  const options: WorkerOptions = {
    connection,
    namespace: settings.temporal.namespace,
    taskQueue: taskQueues.refunds,
    workflowBundle: { codePath: settings.workflowBundle },
    activities,
    dataConverter: dataConverterFor(settings.temporal),
    // A run whose worker was killed goes on elsewhere after a second, not after ten.
    stickyQueueScheduleToStartTimeout: '1s',
    shutdownGraceTime: '5s',
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
    ...(settings.identity === undefined ? {} : { identity: settings.identity }),
  };
  return { worker: await Worker.create(options), connection };
}

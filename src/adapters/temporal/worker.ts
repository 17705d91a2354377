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

/** How much of a machine batches may take, and how often a second their steps call the provider, over all workers. */
export interface BulkSettings {
  readonly concurrency: number;
  readonly callsPerSecond: number;
}

/** A worker for the refunds task queue. `activities` come from createActivities; src/main wires them. */
export async function createRefundWorker(
  settings: RefundWorkerSettings,
  activities: object,
): Promise<{ worker: Worker; connection: NativeConnection }> {
  const connection = await connect(settings);
  const options: WorkerOptions = {
    ...shared(settings, connection),
    taskQueue: taskQueues.refunds,
    activities,
    maxConcurrentWorkflowTaskExecutions: 100,
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentLocalActivityExecutions: 100,
  };
  return { worker: await Worker.create(options), connection };
}

/**
 * A worker for batches on the same connection. It has slots of its own, and few of them, so that thousands of rows never
 * stand in the way of a refund that somebody waits for.
 */
export async function createBulkWorker(
  settings: RefundWorkerSettings,
  connection: NativeConnection,
  activities: object,
  { concurrency, callsPerSecond }: BulkSettings,
): Promise<Worker> {
  return Worker.create({
    ...shared(settings, connection),
    taskQueue: taskQueues.bulk,
    activities,
    workflowThreadPoolSize: 1,
    maxConcurrentWorkflowTaskExecutions: concurrency,
    maxConcurrentActivityTaskExecutions: concurrency,
    maxConcurrentLocalActivityExecutions: concurrency,
    // Temporal itself holds it, over all workers of the queue.
    maxTaskQueueActivitiesPerSecond: callsPerSecond,
  });
}

async function connect(settings: RefundWorkerSettings): Promise<NativeConnection> {
  if (!existsSync(settings.workflowBundle)) {
    throw new Error(`there is no workflow bundle at ${settings.workflowBundle}; run: npm run build`);
  }
  return NativeConnection.connect(connectionOptions(settings.temporal) as NativeConnectionOptions);
}

function shared(settings: RefundWorkerSettings, connection: NativeConnection) {
  return {
    connection,
    namespace: settings.temporal.namespace,
    workflowBundle: { codePath: settings.workflowBundle },
    dataConverter: dataConverterFor(settings.temporal),
    // A run whose worker was killed goes on elsewhere after a second, not after ten.
    stickyQueueScheduleToStartTimeout: '1s' as const,
    shutdownGraceTime: '5s' as const,
    ...(settings.identity === undefined ? {} : { identity: settings.identity }),
  };
}

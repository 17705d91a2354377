import { cpuOf, cpuOfFamily } from './cpu';
import { pooled } from './pooled';
import { refundOnce, untilCompleted, untilQuiet, type Subject } from './subject';
import type { Workshop } from './workshop';

/** Processor time a refund, ms; null where the system does not tell. */
export type CpuByPart = Readonly<
  Record<'worker' | 'temporal' | 'postgres' | 'provider' | 'api', number | null>
> & {
  /** The bench's own process, in which Countersign's use cases run where its API is left out. */
  readonly driver: number;
};

export interface ThroughputRound {
  readonly perSecond: number;
  readonly cpuMs: CpuByPart;
  readonly workflowIds: readonly string[];
}

/** So many refunds, from request to completion, so many at a time. */
export async function throughputRound(
  workshop: Workshop,
  subject: Subject,
  refunds: number,
  concurrency: number,
): Promise<ThroughputRound> {
  const worker = await workshop.worker(subject.workedBy);
  const charges = await workshop.provider.charges(refunds);
  const before = cpuNow(workshop, worker.pid);
  const started = performance.now();
  const workflowIds = await pooled(charges, concurrency, (charge) =>
    refundOnce(workshop.temporal, subject, charge),
  );
  const seconds = (performance.now() - started) / 1000;
  return {
    perSecond: refunds / seconds,
    cpuMs: spent(before, cpuNow(workshop, worker.pid), refunds),
    workflowIds,
  };
}

/** From sending the decision to the provider's receipt of the refund call, ms, one refund at a time. */
export async function idleLatencies(
  workshop: Workshop,
  subject: Subject,
  refunds: number,
): Promise<number[]> {
  const { temporal, provider } = workshop;
  await workshop.worker(subject.workedBy);
  const latencies: number[] = [];
  for (const charge of await provider.charges(refunds)) {
    const refund = await subject.start(charge);
    await refund.waits();
    await untilQuiet(temporal, refund);
    const sent = Date.now();
    await refund.approve();
    await untilCompleted(temporal, refund);
    latencies.push((await provider.refundedAt(charge)) - sent);
  }
  return latencies;
}

export interface WorkerRound {
  /** From starting the process to the start of its first workflow task, ms. */
  readonly startMs: number;
  /** From the decision, sent after the worker that held the run was killed, to the provider's receipt of the call, ms. */
  readonly recoveryMs: number;
}

/** A refund waits for a worker; the worker is killed while it waits for people; another one has to take over. */
export async function workerRound(workshop: Workshop, subject: Subject): Promise<WorkerRound> {
  const { temporal, provider } = workshop;
  const name = subject.workedBy;
  await workshop.stopWorker(name);
  const [charge] = await provider.charges(1);
  if (charge === undefined) throw new Error('the provider made no payment');
  const refund = await subject.start(charge);
  const first = await workshop.worker(name);
  await refund.waits();
  await untilQuiet(temporal, refund);
  const startMs = (await firstWorkAt(workshop, refund.workflowId)) - first.spawnedAt;

  await workshop.secondWorker(name);
  await first.end('SIGKILL');
  const sent = Date.now();
  await refund.approve();
  await untilCompleted(temporal, refund);
  return { startMs, recoveryMs: (await provider.refundedAt(charge)) - sent };
}

export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
}

export async function historySizes(
  { temporal }: Workshop,
  workflowIds: readonly string[],
): Promise<HistorySize[]> {
  return pooled(workflowIds, 10, async (workflowId) => {
    const { historyLength, historySize } = await temporal.workflow.getHandle(workflowId).describe();
    return { events: historyLength, bytes: historySize ?? 0 };
  });
}

/** When a worker took the first workflow task of a run, by Temporal's clock, ms since the epoch. */
async function firstWorkAt({ temporal }: Workshop, workflowId: string): Promise<number> {
  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory();
  const time = events?.find((event) => event.workflowTaskStartedEventAttributes)?.eventTime;
  if (!time) throw new Error(`${workflowId} has had no workflow task`);
  return Number(time.seconds) * 1000 + (time.nanos ?? 0) / 1_000_000;
}

function cpuNow({ pids }: Workshop, worker: number): CpuByPart {
  const { user, system } = process.cpuUsage();
  return {
    worker: cpuOf(worker),
    temporal: cpuOf(pids.temporal),
    postgres: cpuOfFamily(pids.postgres),
    provider: cpuOf(pids.provider),
    api: cpuOf(pids.api),
    driver: (user + system) / 1000,
  };
}

function spent(before: CpuByPart, after: CpuByPart, refunds: number): CpuByPart {
  const each = (from: number | null, to: number | null) =>
    from === null || to === null ? null : (to - from) / refunds;
  return {
    worker: each(before.worker, after.worker),
    temporal: each(before.temporal, after.temporal),
    postgres: each(before.postgres, after.postgres),
    provider: each(before.provider, after.provider),
    api: each(before.api, after.api),
    driver: (after.driver - before.driver) / refunds,
  };
}

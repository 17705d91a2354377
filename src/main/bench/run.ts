import type { Settings } from '../settings';
import { historySizes, idleLatencies, throughputRound, workerRound } from './measures';
import type { CpuByPart, HistorySize, ThroughputRound, WorkerRound } from './measures';
import { refundOnce, type Subject, type SubjectName } from './subject';
import { pooled } from './pooled';
import {
  aimsOf,
  machine,
  median,
  partNames,
  ratiosOf,
  spread,
  type BenchOptions,
  type BenchReport,
  type Counts,
  type Figures,
} from './report';
import { openWorkshop, type Workshop } from './workshop';

/** How many histories of a round are looked at. */
const sampledHistories = 20;

interface Measured {
  readonly throughput: ThroughputRound[];
  readonly histories: HistorySize[];
  readonly idleP50Ms: number[];
  readonly workers: WorkerRound[];
  approved: number;
  providerCalls: number;
  providerRefunds: number;
}

/**
 * Measures Countersign and the bare workflow on one server in one run, round by round in turn. Needs a fresh data
 * folder. `interrupted` rejects when the bench has to stop early; all processes are gone when this settles.
 * @param say one line per thing that happens
 */
export async function runBench(
  settings: Settings,
  options: BenchOptions,
  say: (line: string) => void,
  interrupted: () => Promise<never>,
): Promise<BenchReport> {
  const workshop = await openWorkshop(settings, say);
  try {
    const report = await Promise.race([measureAll(workshop, options, say), interrupted()]);
    await workshop.disconnect();
    return report;
  } finally {
    await workshop.stop();
  }
}

async function measureAll(
  workshop: Workshop,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<BenchReport> {
  const measured = new Map<SubjectName, Measured>();
  for (const subject of workshop.subjects) measured.set(subject.name, nothingYet());
  const each = async (what: string, measure: Measure): Promise<void> => {
    for (const subject of workshop.subjects) {
      const all = measured.get(subject.name) ?? nothingYet();
      const line = await counted(workshop, all, () => measure(subject, all));
      if (line !== undefined) say(`${what}  ${subject.name}: ${line}`);
    }
  };
  const inRounds = async (what: string, measure: Measure): Promise<void> => {
    for (let round = 1; round <= options.rounds; round += 1)
      await each(`${what} ${round}/${options.rounds}`, measure);
  };
  await each('warm-up', warmUp(workshop, options));
  await inRounds('throughput', throughput(workshop, options));
  await inRounds('idle latency', idle(workshop, options));
  await inRounds('worker start and recovery', workers(workshop));
  return reportOf(options, measured);
}

/** @returns what to say about it, undefined when there was nothing to do, and how many refunds it took to the end */
type Measure = (subject: Subject, all: Measured) => Promise<{ refunds: number; line: string } | undefined>;

/** Both systems in their stride before anything is measured. */
function warmUp(workshop: Workshop, { concurrency, refunds }: BenchOptions): Measure {
  return async (subject) => {
    const count = Math.min(concurrency, refunds);
    await workshop.worker(subject.workedBy);
    await pooled(await workshop.provider.charges(count), concurrency, (charge) =>
      refundOnce(workshop.temporal, subject, charge),
    );
    return { refunds: count, line: `${count} refunds` };
  };
}

function throughput(workshop: Workshop, { refunds, concurrency }: BenchOptions): Measure {
  return async (subject, all) => {
    const round = await throughputRound(workshop, subject, refunds, concurrency);
    all.throughput.push(round);
    all.histories.push(...(await historySizes(workshop, round.workflowIds.slice(0, sampledHistories))));
    return { refunds, line: `${round.perSecond.toFixed(1)} a second` };
  };
}

function idle(workshop: Workshop, { idleRefunds }: BenchOptions): Measure {
  return async (subject, all) => {
    const p50 = median(await idleLatencies(workshop, subject, idleRefunds));
    all.idleP50Ms.push(p50);
    return { refunds: idleRefunds, line: `p50 ${p50.toFixed(1)} ms` };
  };
}

/** The worker is the same whichever door a refund came through. */
function workers(workshop: Workshop): Measure {
  return async (subject, all) => {
    if (subject.name !== subject.workedBy) return undefined;
    const round = await workerRound(workshop, subject);
    all.workers.push(round);
    return {
      refunds: 1,
      line: `${round.startMs.toFixed(0)} ms, ${round.recoveryMs.toFixed(0)} ms`,
    };
  };
}

async function counted(
  { provider }: Workshop,
  all: Measured,
  measure: () => ReturnType<Measure>,
): Promise<string | undefined> {
  const before = await provider.refunds();
  const result = await measure();
  const after = await provider.refunds();
  all.approved += result?.refunds ?? 0;
  all.providerCalls += after.calls - before.calls;
  all.providerRefunds += after.made - before.made;
  return result?.line;
}

function nothingYet(): Measured {
  return {
    throughput: [],
    histories: [],
    idleP50Ms: [],
    workers: [],
    approved: 0,
    providerCalls: 0,
    providerRefunds: 0,
  };
}

function reportOf(options: BenchOptions, measured: ReadonlyMap<SubjectName, Measured>): BenchReport {
  const of = (name: SubjectName): Measured => measured.get(name) ?? nothingYet();
  const figures = (name: SubjectName): Figures => figuresOf(of(name));
  const counts = (name: SubjectName): Counts => {
    const { approved, providerCalls, providerRefunds } = of(name);
    return { approved, providerCalls, providerRefunds };
  };
  const systems = {
    bare: figures('bare'),
    countersign: figures('countersign'),
    countersignHttp: figures('countersignHttp'),
  };
  const ratios = {
    countersign: ratiosOf(systems.countersign, systems.bare),
    countersignHttp: ratiosOf(systems.countersignHttp, systems.bare),
  };
  return {
    machine: machine(),
    options,
    systems,
    ratios,
    headline: 'countersign',
    aims: aimsOf(systems.countersign, ratios.countersign),
    counts: {
      bare: counts('bare'),
      countersign: counts('countersign'),
      countersignHttp: counts('countersignHttp'),
    },
  };
}

function figuresOf({ throughput: rounds, histories, idleP50Ms, workers: workerRounds }: Measured): Figures {
  const part = (name: keyof CpuByPart) => spread(rounds.map((round) => round.cpuMs[name]));
  return {
    throughputPerSecond: spread(rounds.map((round) => round.perSecond)),
    idleP50Ms: spread(idleP50Ms),
    historyEvents: spread(histories.map(({ events }) => events)),
    historyBytes: spread(histories.map(({ bytes }) => bytes)),
    workerCpuMs: part('worker'),
    stackCpuMs: spread(rounds.map(({ cpuMs }) => stackOf(cpuMs))),
    cpuMsByPart: Object.fromEntries(partNames.map((name) => [name, part(name)])) as Figures['cpuMsByPart'],
    workerStartMs: spread(workerRounds.map(({ startMs }) => startMs)),
    recoveryMs: spread(workerRounds.map(({ recoveryMs }) => recoveryMs)),
  };
}

function stackOf({ worker, temporal, postgres, api }: CpuByPart): number | null {
  if (worker === null || temporal === null || postgres === null || api === null) return null;
  return worker + temporal + postgres + api;
}

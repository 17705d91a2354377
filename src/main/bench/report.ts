import { cpus } from 'node:os';
import type { CpuByPart } from './measures';
import type { SubjectName } from './subject';

/** The median over rounds, and how far they were apart; null where nothing could be measured. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface BenchOptions {
  readonly rounds: number;
  /** A round of throughput. */
  readonly refunds: number;
  readonly concurrency: number;
  /** A round of idle latency. */
  readonly idleRefunds: number;
}

export interface Figures {
  readonly throughputPerSecond: Spread | null;
  /** Each round's median, from sending the decision to the provider's receipt of the refund call. */
  readonly idleP50Ms: Spread | null;
  readonly historyEvents: Spread | null;
  readonly historyBytes: Spread | null;
  readonly workerCpuMs: Spread | null;
  /** Temporal, PostgreSQL, API and worker. */
  readonly stackCpuMs: Spread | null;
  readonly cpuMsByPart: Readonly<Record<keyof CpuByPart, Spread | null>>;
  readonly workerStartMs: Spread | null;
  readonly recoveryMs: Spread | null;
}

/** Figures that are compared, larger is better for the first alone. */
export const compared = [
  'throughputPerSecond',
  'idleP50Ms',
  'historyEvents',
  'historyBytes',
  'workerCpuMs',
  'stackCpuMs',
  'workerStartMs',
  'recoveryMs',
] as const satisfies readonly (keyof Figures)[];
export type Compared = (typeof compared)[number];

/** What was asked for, and the provider's own count. */
export interface Counts {
  readonly approved: number;
  readonly providerCalls: number;
  readonly providerRefunds: number;
}

export interface Aim {
  readonly aim: string;
  readonly figure: number | null;
  readonly met: boolean;
}

export interface BenchReport {
  readonly machine: { readonly cpus: number; readonly node: string; readonly platform: string };
  readonly options: BenchOptions;
  readonly systems: Readonly<Record<SubjectName, Figures>>;
  /** Countersign's figure divided by the bare workflow's. */
  readonly ratios: Readonly<Record<'countersign' | 'countersignHttp', Record<Compared, number | null>>>;
  /** Which of the two ways into Countersign the aims look at. */
  readonly headline: 'countersign';
  readonly aims: readonly Aim[];
  readonly counts: Readonly<Record<SubjectName, Counts>>;
}

export const partNames = ['worker', 'temporal', 'postgres', 'provider', 'api', 'driver'] as const;

export function machine(): BenchReport['machine'] {
  return { cpus: cpus().length, node: process.version, platform: `${process.platform} ${process.arch}` };
}

/** Of values that are there; null when one is missing, or there are none. */
export function spread(values: readonly (number | null)[]): Spread | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined || sorted.length < values.length) return null;
  return { median: median(sorted), min, max };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

export function ratiosOf(ours: Figures, bare: Figures): Record<Compared, number | null> {
  const entries = compared.map((name) => {
    const [over, under] = [ours[name]?.median, bare[name]?.median];
    return [name, over === undefined || !under ? null : over / under];
  });
  return Object.fromEntries(entries) as Record<Compared, number | null>;
}

/** What the project wants of itself; the figures are reported whatever they are. */
export function aimsOf(ours: Figures, ratios: Record<Compared, number | null>): Aim[] {
  const aim = (text: string, figure: number | null, met: (figure: number) => boolean): Aim => ({
    aim: text,
    figure,
    met: figure !== null && met(figure),
  });
  return [
    aim('throughput, at least 1.0 of the bare workflow', ratios.throughputPerSecond, (it) => it >= 1),
    aim('worker CPU a refund, at most 1.0 of the bare workflow', ratios.workerCpuMs, (it) => it <= 1),
    aim('stack CPU a refund, at most 1.0 of the bare workflow', ratios.stackCpuMs, (it) => it <= 1),
    aim('idle p50, at most 1.0 of the bare workflow', ratios.idleP50Ms, (it) => it <= 1),
    aim('history events a refund, at most 30', ours.historyEvents?.median ?? null, (it) => it <= 30),
    aim('recovery after SIGKILL, at most 2500 ms', ours.recoveryMs?.median ?? null, (it) => it <= 2_500),
  ];
}

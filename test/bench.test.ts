import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import type { InboxBench } from '../src/main/benchInbox';
import { compared, partNames, type BenchReport } from '../src/main/bench/report';
import { fullScale } from './support/shared';

/** Each starts all parts more than once, so `npm run test:scale` takes them. */
const atScale = fullScale ? it : it.skip;

const bench = (...args: string[]) => measured('bench', ...args);

async function measured(
  which: 'bench' | 'benchInbox',
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const entry = join(__dirname, '..', 'dist', 'src', 'main', `${which}.js`);
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

describe('npm run bench', () => {
  atScale(
    'measures both systems on real processes, and the provider counts what was approved',
    async () => {
      const { code, stdout, stderr } = await bench(
        ...['--json', '--rounds', '1', '--refunds', '3', '--concurrency', '2', '--idle-refunds', '1'],
      );
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const report = JSON.parse(stdout) as BenchReport;

      // Two to warm up, three of throughput, one idle; start and recovery of the worker take one more each.
      expect(report.counts).toEqual({
        bare: { approved: 7, providerCalls: 7, providerRefunds: 7 },
        countersign: { approved: 7, providerCalls: 7, providerRefunds: 7 },
        countersignHttp: { approved: 6, providerCalls: 6, providerRefunds: 6 },
      });
      for (const name of ['bare', 'countersign'] as const) {
        for (const figure of compared) {
          const spread = report.systems[name][figure];
          expect({ name, figure, min: spread?.min }).toEqual({ name, figure, min: expect.any(Number) });
          expect(spread?.min).toBeGreaterThan(0);
          expect(spread?.median).toBeGreaterThanOrEqual(spread?.min ?? Infinity);
          expect(spread?.max).toBeGreaterThanOrEqual(spread?.median ?? Infinity);
        }
        expect(Object.keys(report.systems[name].cpuMsByPart).sort()).toEqual([...partNames].sort());
      }
      for (const figure of compared) {
        const { bare, countersign } = report.systems;
        const expected = (countersign[figure]?.median ?? NaN) / (bare[figure]?.median ?? NaN);
        expect(report.ratios.countersign[figure]).toBeCloseTo(expected, 10);
      }
      expect(report.systems.countersignHttp).toMatchObject({
        throughputPerSecond: { median: expect.any(Number) },
        workerStartMs: null,
        recoveryMs: null,
      });
      expect(report.options).toEqual({ rounds: 1, refunds: 3, concurrency: 2, idleRefunds: 1 });
      expect(report.aims).toHaveLength(6);
    },
    180_000,
  );

  it.each(['--rounds 0', '--refunds many', '--concurrency -1', '--fast'])(
    'refuses %s with a word on usage, and starts nothing',
    async (args) => {
      const { code, stdout, stderr } = await bench(...args.split(' '));
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^error: /);
    },
  );

  it('says what it takes', async () => {
    const { code, stdout } = await bench('--help');
    expect(code).toBe(0);
    for (const option of ['--rounds', '--refunds', '--concurrency', '--idle-refunds', '--json'])
      expect(stdout).toContain(option);
  });
});

describe('npm run bench:inbox', () => {
  atScale(
    'asks the doors of both tenants for lists, filters and details of real rows, and compares',
    async () => {
      const { code, stdout, stderr } = await measured(
        'benchInbox',
        '--json',
        '--approvals',
        '300',
        '--rounds',
        '1',
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { approvals, report } = JSON.parse(stdout) as InboxBench;
      expect(approvals).toEqual([100, 300]);
      expect(report.map(({ what }) => what)).toEqual(
        expect.arrayContaining(['list, oldest first', 'detail', 'page: the inbox', 'page: one approval']),
      );
      for (const { few, many, ratio, met } of report)
        expect([ratio, met]).toEqual([many / few, many / few <= 1.5]);
    },
    120_000,
  );
});

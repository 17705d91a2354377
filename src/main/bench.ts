import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { runBench } from './bench/run';
import { tableOf } from './bench/table';
import { readSettings, type Settings } from './settings';

interface Arguments {
  readonly rounds: number;
  readonly refunds: number;
  readonly concurrency: number;
  readonly idleRefunds: number;
  readonly json?: boolean;
}

const program = new Command('bench')
  .description(
    'Compares Countersign with a bare Temporal workflow, on the same server in the same run, all parts embedded in a fresh folder.',
  )
  .option('--rounds <n>', 'interleaved rounds of each measure; medians mean little below three', count, 3)
  .option('--refunds <n>', 'refunds in a round of throughput', count, 200)
  .option('--concurrency <n>', 'refunds under way at a time', count, 50)
  .option('--idle-refunds <n>', 'refunds in a round of idle latency', count, 20)
  .option('--json', 'print the report as JSON instead of a table; progress is on standard error either way')
  .action(bench);

async function bench({ json, ...options }: Arguments): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const report = await runBench(embedded(readSettings(), folder), options, say, interrupted);
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : tableOf(report));
}

/** From now on, Ctrl-C and SIGTERM end the bench and all its processes. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`interrupted by ${signal}`)));
  });
}

/** Whatever the environment names: a bench changes nothing outside its own folder. */
function embedded(settings: Settings, folder: string): Settings {
  return {
    ...settings,
    COUNTERSIGN_DATA_DIR: folder,
    TEMPORAL_ADDRESS: undefined,
    DATABASE_URL: undefined,
    COUNTERSIGN_MIGRATION_DATABASE_URL: undefined,
    STRIPE_API_KEY: undefined,
    STRIPE_API_BASE: undefined,
  };
}

function count(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value))
    throw new InvalidArgumentError('a whole number of one or more is wanted');
  return Number(value);
}

program.parseAsync(process.argv).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { embedded, interrupted } from './bench/ground';
import { runBench } from './bench/run';
import { tableOf } from './bench/table';
import { readSettings } from './settings';

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

function count(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value))
    throw new InvalidArgumentError('a whole number of one or more is wanted');
  return Number(value);
}

program.parseAsync(process.argv).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { benchBatches } from './bench/batches';
import { embedded, interrupted } from './bench/ground';
import { openWorkshop } from './bench/workshop';
import { readSettings } from './settings';

/** `npm run bench:batches`: everything embedded in a fresh folder; one line of JSON. */
async function bench({ rows, rounds }: { rows: string; rounds: string }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const workshop = await openWorkshop(embedded(readSettings(), folder), say);
  try {
    const options = { rows: Number(rows), rounds: Number(rounds) };
    const report = await Promise.race([benchBatches(workshop, options, say), interrupted()]);
    await workshop.disconnect();
    process.stdout.write(`${JSON.stringify(report)}\n`);
  } finally {
    await workshop.stop();
  }
}

new Command('bench:batches')
  .description('Compares a batch with the same number of bare Temporal children that call the same provider.')
  .option('--rows <n>', 'refunds of a round, at most 500', '300')
  .option('--rounds <n>', 'interleaved rounds', '3')
  .action(bench)
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });

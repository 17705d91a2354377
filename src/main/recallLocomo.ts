import { CedarAuthorization } from '../adapters/policy/cedar';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { Database } from '../adapters/postgres/database';
import { PostgresMemories } from '../adapters/postgres/memories';
import { PostgresRecall } from '../adapters/postgres/recall';
import { openMeasuredDatabase } from './bench/measuredDatabase';
import { cutOffs, locomoFile, measureLocomo, type LocomoReport } from './bench/memory/locomo';

const program = new Command('recall:locomo')
  .description(
    'Measures how much of the evidence of the LoCoMo questions the default recall finds. The data set is not ours and not in this repository: github.com/snap-research/locomo, data/locomo10.json, CC BY-NC 4.0.',
  )
  .argument('<file>', 'locomo10.json')
  .option('--json', 'print the report as JSON')
  .action(run);

async function run(file: string, { json }: { json?: boolean }): Promise<void> {
  const samples = locomoFile.parse(JSON.parse(readFileSync(file, 'utf8')));
  const measured = await openMeasuredDatabase();
  const database = new Database(measured.url);
  try {
    const parts = {
      memory: new PostgresMemories(database, new CedarAuthorization()),
      recall: new PostgresRecall(database),
    };
    const report = await measureLocomo(samples, parts, (line) => process.stderr.write(`${line}\n`));
    process.stdout.write(json ? `${JSON.stringify(report)}\n` : tableOf(report));
  } finally {
    await database.close();
    await measured.stop();
  }
}

function tableOf({ conversations, turns, refused, all, byCategory }: LocomoReport): string {
  const rows = [
    ['all', all] as const,
    ...Object.entries(byCategory).map(([name, it]) => [`category ${name}`, it] as const),
  ];
  const line = (cells: readonly string[]) =>
    `${cells.map((cell, i) => (i === 0 ? cell.padEnd(12) : cell.padStart(10))).join('')}\n`;
  return [
    `${conversations} conversations, ${turns} turns, of which the gate refused ${refused}.\n\n`,
    line(['', 'questions', ...cutOffs.map((first) => `at ${first}`)]),
    ...rows.map(([name, { questions, recall }]) =>
      line([name, String(questions), ...cutOffs.map((first) => (recall[String(first)] ?? 0).toFixed(3))]),
    ),
  ].join('');
}

program.parseAsync(process.argv).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

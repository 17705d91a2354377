import { Command } from 'commander';
import { countTokens } from 'gpt-tokenizer';
import { sql } from 'kysely';
import { Database } from '../adapters/postgres/database';
import { PostgresRecall } from '../adapters/postgres/recall';
import { screenText } from '../domain/screening/screen';
import { benchContext } from './bench/context';
import { fillMemories, seeded, wordFrom } from './bench/memory/corpus';
import { openMeasuredDatabase } from './bench/measuredDatabase';
import { machine, median } from './bench/report';

const rows = 100_000;
const questions = 60;

interface Compared {
  readonly what: string;
  readonly ours: number;
  readonly plain: number;
}

const program = new Command('bench:memory')
  .description(
    'Compares recall with a plain SQL query of the same rows, and screening and contexts with a plain tokenizer pass.',
  )
  .option('--json', 'print the figures as JSON')
  .action(run);

async function run({ json }: { json?: boolean }): Promise<void> {
  const figures = [...(await recallFigures()), ...screeningFigures(), ...contextFigures()];
  const report = figures.map((it) => ({ ...it, ratio: it.ours / it.plain }));
  if (json) return void process.stdout.write(`${JSON.stringify({ machine: machine(), report })}\n`);
  for (const { what, ours, plain, ratio } of report)
    console.log(`${what}: ${ours.toFixed(3)} ms, plain ${plain.toFixed(3)} ms, ratio ${ratio.toFixed(2)}`);
}

async function recallFigures(): Promise<Compared[]> {
  const measured = await openMeasuredDatabase();
  const [database, asOwner] = [new Database(measured.url), new Database(measured.ownerUrl)];
  const recall = new PostgresRecall(database);
  try {
    const owners = Array.from({ length: 100 }, (_, i) => `owner-${i}`);
    for (const scope of [
      { tenant: 'acme', owners },
      { tenant: 'globex', owners: ['owner-0'] },
    ])
      await asOwner.unscoped((db) => fillMemories(db, { ...scope, rows }));
    await asOwner.unscoped((db) => sql`vacuum analyze memories`.execute(db));
    const figures: Compared[] = [];
    for (const [tenant, what] of [
      ['acme', `recall, an owner with ${rows / 100} of ${rows} rows`],
      ['globex', `recall, an owner with all ${rows} rows`],
    ] as const) {
      const scope = { tenant, owner: 'owner-0' };
      const random = seeded(11);
      const times: { ours: number[]; plain: number[] } = { ours: [], plain: [] };
      for (let i = 0; i < questions; i += 1) {
        const words = [0.5 + random() / 2, 0.5 + random() / 2, random()].map(wordFrom);
        const ours = await timed(() => recall.search(scope, { text: words.join(' '), limit: 10 }));
        const plain = await timed(() => plainQuery(database, scope, words));
        // The first ones open connections and load pages.
        if (i >= 10) {
          times.ours.push(ours);
          times.plain.push(plain);
        }
      }
      figures.push({ what, ours: median(times.ours), plain: median(times.plain) });
    }
    return figures;
  } finally {
    await Promise.all([database.close(), asOwner.close()]);
    await measured.stop();
  }
}

/** What one would write without an index: any of the words, newest first. */
async function plainQuery(
  database: Database,
  { tenant, owner }: { tenant: string; owner: string },
  words: readonly string[],
): Promise<unknown> {
  const patterns = words.map((word) => `%${word}%`);
  return database.inOwner(tenant, owner, (trx) =>
    trx
      .selectFrom('memories')
      .selectAll()
      .where('tenant', '=', tenant)
      .where('owner', '=', owner)
      .where('valid_to', 'is', null)
      .where(sql<boolean>`value ilike any (${patterns})`)
      .orderBy('valid_from', 'desc')
      .limit(10)
      .execute(),
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** A kilobyte of words, ids and amounts at a time. */
function screeningFigures(): Compared[] {
  const random = seeded(3);
  const texts = Array.from({ length: 300 }, (_, i) => {
    const words = Array.from({ length: 400 }, () => wordFrom(random()));
    return `${words.join(' ')} ORDER-${i} 49.00 USD`.slice(0, 1_024);
  });
  const spent = (work: (text: string) => unknown): number => {
    const each = texts.map((text) => {
      const before = performance.now();
      work(text);
      return performance.now() - before;
    });
    return median(each.slice(100));
  };
  return [
    { what: 'screening a kilobyte', ours: spent(screenText), plain: spent((text) => countTokens(text)) },
  ];
}

function contextFigures(): Compared[] {
  const { turns, tokenizerPassMs: plain, ...measured } = benchContext();
  return [
    { what: `assembling a thread of ${turns} turns with its summary`, ours: measured.assemblyMs, plain },
    { what: 'the same with every turn shown', ours: measured.wholeAssemblyMs, plain },
    { what: 'making its summary anew', ours: measured.summaryMs, plain },
  ];
}

program.parseAsync(process.argv).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

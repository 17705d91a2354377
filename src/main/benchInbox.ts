import { Command, InvalidArgumentError } from 'commander';
import { sql } from 'kysely';
import { Database } from '../adapters/postgres/database';
import { PostgresRunWatch } from '../adapters/postgres/runWatch';
import { TemporalEngine } from '../adapters/temporal/engine';
import { createApi } from '../http/app';
import { apiParts } from './apiParts';
import { approvalId, fillInbox } from './bench/inbox/openApprovals';
import { openMeasuredDatabase, type MeasuredDatabase } from './bench/measuredDatabase';
import { machine, median } from './bench/report';
import { pagesBeside } from './pages';
import { version } from './version';

/** What the reader of a full inbox may wait, at most, compared with one of a hundred. */
const aim = 1.5;
const few = 100;
const [small, large] = ['acme', 'globex'] as const;
type Tenant = typeof small | typeof large;

interface Options {
  readonly json?: boolean;
  readonly approvals: number;
  readonly rounds: number;
}

export interface InboxBench {
  readonly machine: ReturnType<typeof machine>;
  readonly approvals: readonly [few: number, many: number];
  /** p50, ms; `ratio` is many to few. */
  readonly report: readonly { what: string; few: number; many: number; ratio: number; met: boolean }[];
}

const program = new Command('bench:inbox')
  .description(
    'Compares the inbox of a tenant with many open approvals with that of one with a hundred, in turn: list, filters and detail, of the API and of the pages.',
  )
  .option('--approvals <number>', 'how many the large one has', count, 100_000)
  .option('--rounds <number>', 'how often each is asked', count, 60)
  .option('--json', 'print the figures as JSON')
  .action(run);

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError('a whole number from 1');
  return number;
}

async function run(options: Options): Promise<void> {
  const measured = await openMeasuredDatabase();
  const asOwner = new Database(measured.ownerUrl);
  try {
    await asOwner.unscoped(async (db) => {
      await fillInbox(db, small, few, Date.now());
      await fillInbox(db, large, options.approvals, Date.now());
      await sql`vacuum analyze`.execute(db);
    });
    const result = await compare(measured, options);
    if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
    else
      for (const { what, few: of100, many, ratio, met } of result.report)
        console.log(
          `${what}: ${of100.toFixed(2)} ms, of ${options.approvals} ${many.toFixed(2)} ms, ratio ${ratio.toFixed(2)}${met ? '' : ` (aim: at most ${aim})`}`,
        );
  } finally {
    await asOwner.close();
    await measured.stop();
  }
}

/** Requests as a reviewer sends them, to the doors themselves; what a network adds is the same for both. */
async function compare(measured: MeasuredDatabase, { approvals, rounds }: Options): Promise<InboxBench> {
  const database = new Database(measured.url);
  const watch = new PostgresRunWatch(measured.url);
  const inboxWatch = new PostgresRunWatch(measured.url, 'countersign_inbox');
  const engine = TemporalEngine.lazily({ address: '127.0.0.1:1', namespace: 'none' }, 'nobody is looked up');
  const dependencies = {
    ...apiParts({ database, engine, stripe: { apiKey: 'none', account: 'none' } }),
    watch,
    inboxWatch,
    version,
    readiness: {},
    onUnexpected: (error: unknown) => console.error(error),
  };
  const doors = pagesBeside(createApi(dependencies), dependencies, { database });
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await doors.fetch(new Request(`http://localhost${path}`, init));
    if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const headersOf = async (tenant: Tenant): Promise<Record<string, string>> => {
    const token = measured.tokens[tenant].reviewer1;
    const body = new URLSearchParams({ token });
    const signedIn = await ask('/sign-in', { method: 'POST', body });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { authorization: `Bearer ${token}`, cookie };
  };
  try {
    const headers = { [small]: await headersOf(small), [large]: await headersOf(large) };
    const size = { [small]: few, [large]: approvals };
    const report = [];
    for (const [what, path] of questions) {
      const times: Record<Tenant, number[]> = { [small]: [], [large]: [] };
      for (let i = 0; i < rounds + warmUp; i += 1) {
        for (const tenant of [small, large]) {
          const n = Math.floor((i / (rounds + warmUp)) * size[tenant]);
          const before = performance.now();
          await (await ask(path(tenant, n), { headers: headers[tenant] })).text();
          if (i >= warmUp) times[tenant].push(performance.now() - before);
        }
      }
      const [of100, many] = [median(times[small]), median(times[large])];
      report.push({ what, few: of100, many, ratio: many / of100, met: many / of100 <= aim });
    }
    return { machine: machine(), approvals: [few, approvals], report };
  } finally {
    await Promise.allSettled([watch.close(), inboxWatch.close(), engine.close(), database.close()]);
  }
}

/** The first ones open connections and load pages. */
const warmUp = 5;

const open = '/v1/approvals?status=open';
const questions: readonly [what: string, path: (tenant: Tenant, n: number) => string][] = [
  ['list, oldest first', () => open],
  ['list, by deadline', () => `${open}&sort=deadline`],
  ['list, by amount', () => `${open}&sort=amount&currency=USD`],
  ['list of one group', () => `${open}&group=approvers`],
  ['list of one customer', (tenant, n) => `${open}&customer=cus_${tenant}_${Math.floor(n / 5)}`],
  ['search for an order', (_tenant, n) => `${open}&q=ORDER-${n}`],
  ['counts', () => '/v1/approvals/counts'],
  ['detail', (tenant, n) => `/v1/approvals/${approvalId(tenant, n)}`],
  ['page: the inbox', () => '/inbox'],
  ['page: one approval', (tenant, n) => `/inbox/${approvalId(tenant, n)}`],
];

program.parseAsync(process.argv).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

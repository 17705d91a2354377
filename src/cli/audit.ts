import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { Option, type Command } from 'commander';
import type { AuditRow, Countersign } from '../client';
import { csvHeader, csvRow, readAuditFile, type AuditLine } from '../main/audit/auditFile';
import type { AuditReport, AuditSource } from '../main/audit/verifyAudit';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { UsageError } from './failure';
import { listOptions, more, showList, type ListOptions } from './lists';
import { answer, example, remark } from './output';
import { table, when } from './terminal/table';

interface SearchOptions extends ConnectionOptions, ListOptions {
  readonly run?: string;
  readonly actor?: string;
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `countersign audit …` */
export function addAuditCommands(root: Command): void {
  const audit = root
    .command('audit')
    .description('the append-only log of who did what; administrators and auditors');

  listOptions(readsApi(audit.command('search').description('rows, newest first')))
    .option('--run <runId>', 'of one run')
    .option('--actor <id>', 'by one person, service or agent')
    .option('--event <name>', 'of one kind, such as decision_approve or refund_sent')
    .option('--from <time>', 'from this moment on, ISO 8601 with a time zone')
    .option('--to <time>', 'before this moment')
    .addHelpText('after', example('audit search --event decision_refused --as acme/admin'))
    .action(async ({ run, actor, event, from, to, ...options }: SearchOptions) => {
      const api = connect(options).audit;
      await showList(
        options,
        { run, actor, event, from, to },
        {
          page: (filter) => api.search(filter),
          all: (filter) => api.searchAll(filter),
        },
        (page) => rowsTable(page.items) + more(page),
      );
    });

  callsApi(
    audit
      .command('verify')
      .description('compute every hash and check every signed anchor here; exits 1 when anything was changed')
      .option('--file <path>', 'an export that was kept, instead of the API'),
  )
    .addHelpText('after', example('audit verify --as acme/admin', 'audit verify --file kept.jsonl'))
    .action(async (options: ConnectionOptions & { file?: string }) => {
      const source = options.file === undefined ? await fromApi(connect(options)) : fromFile(options.file);
      // Its signatures' library is large, and every other command would wait for it.
      const { verifyAudit } = await import('../main/audit/verifyAudit.js');
      const report = await verifyAudit(source, (rows) => remark(options.json, `${rows} rows …`));
      answer(options.json, report, () => reportText(report));
      if (!report.ok) process.exitCode = 1;
    });

  callsApi(
    audit
      .command('export')
      .description('the whole log with its anchors, to be kept or verified elsewhere')
      .addOption(
        new Option('--format <format>', 'JSON Lines, or rows alone as CSV')
          .choices(['jsonl', 'csv'])
          .default('jsonl'),
      )
      .option('--out <path>', 'a file; standard output without it'),
  )
    .addHelpText('after', example('audit export --out kept.jsonl --as acme/admin'))
    .action(async (options: ConnectionOptions & { format: 'jsonl' | 'csv'; out?: string }) => {
      const lines = options.format === 'csv' ? csv(connect(options)) : jsonLines(connect(options));
      const written = await write(lines, options.out);
      if (options.out !== undefined) remark(options.json, `${written} lines are in ${options.out}`);
    });

  callsApi(audit.command('anchor').description('set a signed anchor now, instead of at the next full hour'))
    .addHelpText('after', example('audit anchor --as acme/admin'))
    .action(async (options: ConnectionOptions) => {
      const set = await connect(options).audit.anchor();
      answer(options.json, set, () =>
        set.seq === null ? 'Nothing has grown since the last anchor.\n' : `Anchor ${set.seq} is set.\n`,
      );
    });
}

async function fromApi({ audit }: Countersign): Promise<AuditSource> {
  return { keys: await audit.keys(), anchors: audit.anchors(), rows: audit.chains() };
}

function fromFile(path: string): AuditSource {
  try {
    return readAuditFile(path);
  } catch (error) {
    throw new UsageError(`--file: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function* jsonLines({ audit }: Countersign): AsyncGenerator<string> {
  const told = (line: AuditLine) => `${JSON.stringify(line)}\n`;
  for (const key of await audit.keys()) yield told({ kind: 'key', ...key });
  for await (const anchor of audit.anchors()) yield told({ kind: 'anchor', ...anchor });
  for await (const row of audit.chains()) yield told({ kind: 'row', ...row });
}

async function* csv({ audit }: Countersign): AsyncGenerator<string> {
  yield csvHeader;
  for await (const row of audit.chains()) yield csvRow(row);
}

/** @returns how many lines were written */
async function write(lines: AsyncIterable<string>, path: string | undefined): Promise<number> {
  const out = path === undefined ? process.stdout : createWriteStream(path, { flags: 'wx' });
  if (path !== undefined) {
    await once(out, 'open').catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(
        error.code === 'EEXIST' ? `--out: ${path} is there already` : `--out: ${error.message}`,
      );
    });
  }
  let written = 0;
  for await (const line of lines) {
    if (!out.write(line)) await once(out, 'drain');
    written += 1;
  }
  if (path !== undefined) {
    out.end();
    await once(out, 'finish');
  }
  return written;
}

function reportText({ ok, rows, runs, anchors, findings }: AuditReport): string {
  const checked = `${rows} rows of ${runs} chains and ${anchors} anchors were checked.\n`;
  if (ok) return `${checked}Nothing was changed, put in or taken out.\n`;
  return `${checked}${findings.length} do not hold:\n\n${table(findings, [
    { title: 'WHERE', of: ({ where }) => where },
    { title: 'ROW', of: ({ seq }) => String(seq) },
    { title: 'WHAT', of: ({ kind }) => kind.replace('_', ' ') },
    { title: 'DETAIL', of: ({ detail }) => detail, cut: true },
  ])}`;
}

function rowsTable(rows: readonly AuditRow[]): string {
  if (rows.length === 0) return 'No rows fit.\n';
  return table(rows, [
    when('WHEN', ({ at }) => at),
    { title: 'WHO', of: ({ actor }) => actor },
    { title: 'WHAT', of: ({ event }) => event },
    { title: 'RUN', of: ({ runId }) => runId },
    { title: 'REASON', of: ({ reason }) => reason ?? '', optional: true, cut: true },
    { title: 'PROVIDER', of: ({ providerId }) => providerId ?? '', optional: true },
  ]);
}

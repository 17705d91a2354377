import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import type { Batch, BatchFile, BatchItem, Batches } from '../client';
import { batchPage, batchTable, itemTable, progressLine } from './batchText';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { expectVersion, type OrderOptions } from './expectVersion';
import { UsageError } from './failure';
import { listOptions, more, showList, type ListOptions } from './lists';
import { onBehalfOf } from './onBehalfOf';
import { answer, example, remark } from './output';
import { underKey } from './refundSplit';
import { shown } from './watch';

interface StartOptions extends ConnectionOptions {
  readonly approval: 'manifest' | 'each';
  readonly dryRun?: boolean;
  readonly leaveOutInvalid?: boolean;
  readonly onBehalfOf?: string;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

/** `countersign batch …` */
export function addBatchCommands(root: Command): void {
  const batch = root.command('batch').description('thousands of refunds as one run');

  callsApi(
    batch
      .command('start')
      .description('send a file of refunds; every row is looked at before anything runs')
      .argument('<file>', 'CSV with a line of names (.csv), or one JSON object a line')
      .addOption(
        new Option('--approval <how>', 'people approve the whole, or policy asks about each refund')
          .choices(['manifest', 'each'])
          .default('manifest'),
      )
      .option('--dry-run', 'look at every row, also at the provider, and run nothing; waits for the report')
      .option(
        '--leave-out-invalid',
        'leave rows out that are not as they should be, instead of refusing the file',
      )
      .option(...onBehalfOf)
      .option('--wait', 'show how far it is until it has ended')
      .option('--idempotency-key <key>', 'the same key and file are the same batch; made anew without it'),
  )
    .addHelpText('after', example('batch start recall.csv --dry-run', 'batch start recall.csv --wait'))
    .action(start);

  readsApi(
    batch.command('show').description('how far a batch is, and what was left out').argument('<batchId>'),
  )
    .addHelpText('after', example('batch show bat_1 --watch'))
    .action(async (batchId: string, options: ConnectionOptions) => {
      const { batches } = connect(options);
      await shown(options, {
        read: async () => withLeftOut(batches, await batches.show(batchId), options.json),
        text: pageOf,
        ended: ({ endedAt }) => endedAt !== null,
        changes: (signal) => batches.changes(batchId, { signal }),
      });
    });

  readsApi(listOptions(batch.command('list').description('batches, newest first')))
    .addHelpText('after', example('batch list'))
    .action(async (options: ListOptions & ConnectionOptions) => {
      const { batches } = connect(options);
      await showList(
        options,
        {},
        { page: (filter) => batches.list(filter), all: (filter) => batches.all(filter) },
        (page) => batchTable(page.items) + more(page),
      );
    });

  for (const [order, description] of orders) {
    callsApi(batch.command(order).description(description).argument('<batchId>'))
      .option(...expectVersion)
      .addHelpText('after', example(`batch ${order} bat_1`))
      .action(async (batchId: string, options: OrderOptions) => {
        const { batches } = connect(options);
        const expectedVersion = options.expectVersion;
        await print(batches, await batches[order](batchId, { expectedVersion }), options.json);
      });
  }

  callsApi(
    batch
      .command('result')
      .description('the result file on standard output: one row for each row of the file')
      .argument('<batchId>')
      .addOption(new Option('--format <format>').choices(['csv', 'jsonl']).default('csv')),
  )
    .addHelpText('after', example('batch result bat_1 --format csv'))
    .action(async (batchId: string, options: ConnectionOptions & { format: 'csv' | 'jsonl' }) => {
      const format = options.json ? 'jsonl' : options.format;
      for await (const piece of await connect(options).batches.result(batchId, format))
        process.stdout.write(piece);
    });
}

const orders = [
  ['pause', 'start no further row; those that move go on to their end'],
  ['resume', 'go on with the next row'],
  ['cancel', 'never start the rows that have not started, and cancel those that wait for people'],
] as const;

async function start(file: string, options: StartOptions): Promise<void> {
  const { batches } = connect(options);
  const idempotencyKey = options.idempotencyKey ?? `cli-${randomUUID()}`;
  const { approval, dryRun, leaveOutInvalid, json } = options;
  const invalidRows = leaveOutInvalid ? ('leave_out' as const) : undefined;
  const sent = batches.start(fileAt(file), {
    idempotencyKey,
    approval,
    dryRun,
    invalidRows,
    onBehalfOf: options.onBehalfOf,
  });
  const started = await underKey(idempotencyKey, sent);
  remark(json, `${started.batchId} has ${started.rows} rows; idempotency key ${idempotencyKey}`);
  const seen = options.wait || dryRun ? await watched(batches, started, json) : started;
  await print(batches, seen, json);
  // A dry run that would leave rows out has found something.
  if (dryRun && seen.counts.left_out > 0) process.exitCode = 1;
}

/** @throws UsageError */
function fileAt(file: string): BatchFile {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    return { text, type: /\.csv$/i.test(file) ? 'text/csv' : 'application/x-ndjson' };
  } catch (error) {
    const why = error instanceof TypeError ? 'it is not UTF-8' : String(error);
    throw new UsageError(`${file} can't be read: ${why}`);
  }
}

export async function watched(batches: Batches, from: Batch, json: boolean | undefined): Promise<Batch> {
  let last = from;
  for await (const seen of batches.watch(from.batchId)) {
    if (progressLine(seen) !== progressLine(last) || seen === from) remark(json, progressLine(seen));
    last = seen;
  }
  return last;
}

/** How many left out rows are named; `batch result` has all. */
const namedRows = 20;

type Shown = Batch & { readonly leftOut?: readonly BatchItem[] };

async function withLeftOut(batches: Batches, batch: Batch, json: boolean | undefined): Promise<Shown> {
  if (batch.counts.left_out === 0) return batch;
  const leftOut = await batches.items(batch.batchId, { outcome: 'left_out', limit: json ? 200 : namedRows });
  return { ...batch, leftOut: leftOut.items };
}

function pageOf(batch: Shown): string {
  return batchPage(batch) + (batch.leftOut ? itemTable(batch.leftOut, batch) : '');
}

async function print(batches: Batches, batch: Batch, json: boolean | undefined): Promise<void> {
  const seen = await withLeftOut(batches, batch, json);
  answer(json, seen, () => pageOf(seen));
}

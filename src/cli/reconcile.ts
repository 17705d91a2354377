import { InvalidArgumentError, type Command } from 'commander';
import type { Countersign, Difference, DifferenceStatus, Reconciliation } from '../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { listed, listOptions, showList, type ListOptions, type Lists } from './lists';
import { answer, example, remark } from './output';
import { shown } from './watch';
import {
  differencesText,
  differenceText,
  progressLine,
  reconciliationList,
  whatCameOfIt,
} from './reconcileText';

interface ReconcileOptions extends ListOptions, ConnectionOptions {
  readonly now?: boolean;
  readonly days?: number;
  readonly status: string;
}

/** `countersign reconcile …` */
export function addReconcileCommands(root: Command): void {
  const reconcile = readsApi(
    listOptions(
      root
        .command('reconcile')
        .description(
          "what differs between our books and the provider's; exits 0 when nothing is open, 1 when something is",
        )
        .option('--now', 'compare now and wait for it; else what earlier reconciliations found is shown')
        .option('--days <n>', 'with --now: over how many days of refunds, 1 to 366', days)
        .option('--status <status>', 'open, adopted, gone, dismissed, or any', 'open'),
    ),
  )
    .addHelpText('after', example('reconcile', 'reconcile --now --json'))
    .action(run);

  readsApi(listOptions(reconcile.command('runs').description('the reconciliations themselves, newest first')))
    .addHelpText('after', example('reconcile runs'))
    .action(async (_options: unknown, command: Command) => {
      const options: ListOptions & ConnectionOptions = command.optsWithGlobals();
      const { reconciliations } = connect(options);
      await showList(
        options,
        {},
        {
          page: (filter) => reconciliations.list(filter),
          all: (filter) => reconciliations.all(filter),
        },
        reconciliationList,
      );
    });

  readsApi(reconcile.command('show').description('one of them, and how far it is').argument('<id>'))
    .addHelpText('after', example('reconcile show rec_7f3a --watch'))
    .action(async (id: string, _options: unknown, command: Command) => {
      const options: ConnectionOptions = command.optsWithGlobals();
      await shown(options, {
        read: () => connect(options).reconciliations.show(id),
        text: (found) => reconciliationList({ items: [found], nextCursor: null }),
        ended: ({ finishedAt }) => finishedAt !== null,
      });
    });

  readsApi(
    reconcile.command('difference').description('one difference, whatever its status').argument('<id>'),
  )
    .addHelpText('after', example('reconcile difference dif_7f3a'))
    .action(async (id: string, _options: unknown, command: Command) => {
      const options: ConnectionOptions = command.optsWithGlobals();
      await shown(options, {
        read: () => connect(options).reconciliations.difference(id),
        text: differenceText,
      });
    });

  callsApi(
    reconcile
      .command('dismiss')
      .description('close a difference that somebody has looked at')
      .argument('<differenceId>')
      .requiredOption('--comment <text>', 'what was found; it is kept'),
  )
    .addHelpText('after', example('reconcile dismiss dif_1 --comment "booked by hand, see ticket 7"'))
    .action(async (id: string, { comment }: { comment: string }, command: Command) => {
      const options: ConnectionOptions = command.optsWithGlobals();
      const dismissed = await connect(options).reconciliations.dismiss(id, comment);
      answer(options.json, dismissed, () => `${id} is dismissed\n`);
    });
}

async function run(options: ReconcileOptions): Promise<void> {
  const countersign = connect(options);
  const { reconciliations } = countersign;
  const ended = options.now ? await compareNow(countersign, options) : undefined;
  // What is not one of the words is refused by the API, with the same code for every door.
  const status = options.status === 'any' ? undefined : (options.status as DifferenceStatus);
  const differences: Lists<Difference, { status: DifferenceStatus | undefined }> = {
    page: (filter) => reconciliations.differences(filter),
    all: (filter) => reconciliations.allDifferences(filter),
  };
  const { items } = await shown(options, {
    read: async () => {
      const page = await listed(options, { status }, differences);
      return ended ? { reconciliation: ended, ...page } : page;
    },
    text: (page) => differencesText(page, status),
  });
  const open = items.some((difference) => difference.status === 'open');
  process.exitCode = open || ended?.state === 'failed' ? 1 : 0;
}

async function compareNow(
  { reconciliations }: Countersign,
  { json, days: windowDays }: ReconcileOptions,
): Promise<Reconciliation> {
  let now = await reconciliations.start(windowDays);
  for await (const seen of reconciliations.watch(now.id)) {
    now = seen;
    remark(json, progressLine(seen));
  }
  remark(json, whatCameOfIt(now));
  return now;
}

function days(value: string): number {
  if (!/^\d{1,3}$/.test(value) || Number(value) < 1 || Number(value) > 366)
    throw new InvalidArgumentError('a whole number from 1 to 366 is wanted');
  return Number(value);
}

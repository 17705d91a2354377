import { Option, type Command } from 'commander';
import type { ApprovalCounts, ApprovalDay, ApprovalFilter, ApprovalStatus } from '../client';
import { riskMarks } from '../domain/approval/risk';
import { approvalList, approvalPage, howToDecide } from './approvalText';
import { addDecisionCommands } from './decisions';
import { connect, readsApi, type ConnectionOptions } from './connection';
import { addInboxCheck } from './inboxCheck';
import { amountOptions, listOptions, showList, type ListOptions } from './lists';
import { example } from './output';
import { table } from './terminal/table';
import { fields } from './terminal/text';
import { shown } from './watch';

const orders = ['oldest', 'newest', 'deadline', 'amount'];

/** `countersign approvals …` */
export function addApprovalCommands(root: Command): void {
  const approvals = root.command('approvals').description('see what waits for a person, and decide');

  readsApi(
    amountOptions(listOptions(approvals.command('list').description('the inbox, oldest first')))
      .option('--status <status>', 'open, approved, rejected, expired or cancelled', 'open')
      .option('--group <group>', 'what this group may decide')
      .option('--min-age <age>', 'opened at least this long ago, such as 90s, 15m, 24h or 3d')
      .option('--due-in <time>', 'the deadline is at most this far away, such as 4h')
      .option('--assignee <person>', 'claimed by this person; me is whoever acts')
      .option('--customer <id>', 'of this customer')
      .addOption(new Option('--risk <mark>', 'with this mark').choices(riskMarks))
      .option('--search <words>', 'words, "phrases" and -exclusions in ids, reason, note, order and evidence')
      .addOption(new Option('--sort <order>', 'amount needs --currency').choices(orders).default('oldest')),
  )
    .addHelpText('after', example('approvals list --min-age 24h'))
    .action(list);

  readsApi(
    approvals
      .command('show')
      .description('exactly what is to be approved, why, and who has voted')
      .argument('<id>'),
  )
    .addHelpText('after', example('approvals show apr_7f3a'))
    .action(async (id: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).approvals.show(id),
        text: (approval) => approvalPage(approval) + howToDecide(approval),
        ended: ({ status }) => status !== 'open',
        changes: (signal) => connect(options).approvals.changes({ signal }),
      });
    });

  readsApi(approvals.command('counts').description('how much waits, for you, by group, and soon'))
    .addHelpText('after', example('approvals counts'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).approvals.counts(),
        text: countsText,
        changes: (signal) => connect(options).approvals.changes({ signal }),
      });
    });

  readsApi(approvals.command('daily').description('what waited and was decided on each of the last days'))
    .option('--time-zone <name>', 'whose days are counted', Intl.DateTimeFormat().resolvedOptions().timeZone)
    .addHelpText('after', example('approvals daily --time-zone UTC'))
    .action(async ({ timeZone, ...options }: ConnectionOptions & { timeZone: string }) => {
      await shown(options, {
        read: () => connect(options).approvals.daily({ timeZone }),
        text: (days) => daysTable(days, timeZone),
      });
    });

  addInboxCheck(approvals);
  addDecisionCommands(approvals);
}

function daysTable(days: readonly ApprovalDay[], timeZone: string): string {
  return table(days, [
    { title: `DAY (${timeZone})`, of: ({ date }) => date },
    { title: 'OPENED', of: ({ opened }) => String(opened) },
    { title: 'DECIDED', of: ({ decided }) => String(decided) },
    { title: 'LAPSED', of: ({ lapsed }) => String(lapsed) },
    { title: 'WAITING', of: ({ waiting }) => String(waiting) },
    {
      title: 'HOURS TO DECIDE, MEDIAN',
      of: ({ medianMs }) => (medianMs === null ? '' : (medianMs / 3_600_000).toFixed(1)),
    },
  ]);
}

function countsText({ countedTo, open, claimedByMe, dueWithin24h, byGroup }: ApprovalCounts): string {
  const told = (count: number) => (count >= countedTo ? `${countedTo} or more` : String(count));
  return fields([
    ['open', told(open)],
    ['claimed by you', told(claimedByMe)],
    ['due within 24 h', told(dueWithin24h)],
    ...Object.entries(byGroup).map(([group, count]) => [group, told(count)] as const),
  ]);
}

interface InboxOptions extends ConnectionOptions, Omit<ApprovalFilter, 'limit' | 'cursor' | 'q'> {
  readonly search?: string;
}

async function list(options: ListOptions & InboxOptions): Promise<void> {
  const { approvals } = connect(options);
  const { group, minAge, dueIn, assignee, currency, minAmount, maxAmount, customer, risk, sort } = options;
  const status: ApprovalStatus = options.status ?? 'open';
  const amounts = { currency, minAmount, maxAmount };
  await showList(
    options,
    { status, group, minAge, dueIn, assignee, customer, risk, sort, q: options.search, ...amounts },
    { page: (filter) => approvals.list(filter), all: (filter) => approvals.all(filter) },
    (page) => approvalList(page, status),
    (signal) => approvals.changes({ signal }),
  );
}

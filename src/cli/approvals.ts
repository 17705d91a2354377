import type { Command } from 'commander';
import type { ApprovalStatus } from '../client';
import { approvalList, approvalPage, howToDecide } from './approvalText';
import { addDecisionCommands } from './decisions';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { listed, listOptions, type ListOptions } from './lists';
import { answer, example } from './output';

/** `countersign approvals …` */
export function addApprovalCommands(root: Command): void {
  const approvals = root.command('approvals').description('see what waits for a person, and decide');

  callsApi(
    listOptions(approvals.command('list').description('the inbox, oldest first'))
      .option('--status <status>', 'open, approved, rejected, expired or cancelled', 'open')
      .option('--group <group>', 'what this group may decide')
      .option('--min-age <age>', 'opened at least this long ago, such as 90s, 15m, 24h or 3d'),
  )
    .addHelpText('after', example('approvals list --min-age 24h'))
    .action(list);

  callsApi(
    approvals
      .command('show')
      .description('exactly what is to be approved, why, and who has voted')
      .argument('<id>'),
  )
    .addHelpText('after', example('approvals show apr_7f3a'))
    .action(async (id: string, options: ConnectionOptions) => {
      const approval = await connect(options).approvals.show(id);
      answer(options.json, approval, () => approvalPage(approval) + howToDecide(approval));
    });

  addDecisionCommands(approvals);
}

async function list(
  options: ListOptions & ConnectionOptions & { status: string; group?: string; minAge?: string },
): Promise<void> {
  const { approvals } = connect(options);
  const { group, minAge } = options;
  const status = options.status as ApprovalStatus;
  const page = await listed(
    options,
    { status, group, minAge },
    { page: (filter) => approvals.list(filter), all: (filter) => approvals.all(filter) },
  );
  answer(options.json, page, () => approvalList(page, status));
}

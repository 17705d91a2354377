import type { Command } from 'commander';
import type { InboxCheck } from '../client';
import { callsApi, connect, type ConnectionOptions } from './connection';
import { answer, example, remark } from './output';
import { table } from './terminal/table';

/** `countersign approvals check` */
export function addInboxCheck(approvals: Command): void {
  callsApi(
    approvals
      .command('check')
      .description(
        'prove that the inbox is what the workflows have; exits 0 when nothing differs, 1 when something still does',
      )
      .option('--repair', 'write what differs anew from the workflows; money and workflows are not touched'),
  )
    .addHelpText('after', example('approvals check --as acme/admin', 'approvals check --repair --json'))
    .action(async ({ repair = false, ...options }: ConnectionOptions & { repair?: boolean }) => {
      const progress = (checked: number) => remark(options.json, `${checked} compared …`);
      const check = await connect(options).approvals.check({ repair, progress });
      answer(options.json, check, () => checkText(check, repair));
      if (!check.ok) process.exitCode = 1;
    });
}

function checkText({ checked, differences, ok }: InboxCheck, repair: boolean): string {
  const compared = `${checked} approvals were compared with their workflows.\n`;
  if (differences.length === 0) return `${compared}Nothing differs.\n`;
  const list = table(differences, [
    { title: 'RUN', of: ({ runId }) => runId },
    { title: 'WHAT', of: ({ kind }) => kind.replaceAll('_', ' ') },
    { title: 'FIELDS', of: ({ fields }) => fields.join(', '), optional: true },
    { title: 'REPAIRED', of: ({ repaired }) => (repaired ? 'yes' : 'no') },
    { title: 'DETAIL', of: ({ explanation }) => explanation, cut: true },
  ]);
  const left = differences.filter(({ repaired }) => !repaired).length;
  const end = ok
    ? 'All of it is repaired.\n'
    : `${left} still differ${repair ? '' : '; --repair writes them anew'}.\n`;
  return `${compared}\n${list}\n${end}`;
}

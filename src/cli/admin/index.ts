import type { Command } from 'commander';
import { callsApi, connect, type ConnectionOptions } from '../connection';
import { answer, example } from '../output';
import { table } from '../terminal/table';
import { moment } from '../terminal/time';
import { addChannelCommands } from './channel';
import { addGroupCommands } from './group';
import { addKeyCommands, addOwnKeyCommands } from './key';
import { addOwnerCommands } from './owner';
import { addPersonCommands } from './person';
import { addTenantCommands } from './tenant';

/** `countersign admin …`, and `countersign key …` for the key that is used. */
export function addAdminCommands(root: Command): void {
  const admin = root.command('admin').description('people, groups, keys and channels of a tenant');
  addOwnerCommands(admin);
  addTenantCommands(admin);
  addPersonCommands(admin);
  addGroupCommands(admin);
  addKeyCommands(admin);
  addChannelCommands(admin);

  callsApi(
    admin
      .command('changes')
      .description('who changed people, groups and keys, and who tried to, newest first')
      .option('--limit <n>', 'how many, 1 to 200', '50')
      .option('--cursor <cursor>', 'the page after the one that named this cursor'),
  )
    .addHelpText('after', example('admin changes'))
    .action(async ({ limit, cursor, ...options }: ConnectionOptions & { limit: string; cursor?: string }) => {
      const page = await connect(options).admin.changes({
        limit: Number(limit),
        ...(cursor === undefined ? {} : { cursor }),
      });
      answer(options.json, page, () =>
        table(page.items, [
          { title: 'WHEN', of: ({ at }) => moment(at) },
          { title: 'WHO', of: ({ actor }) => actor },
          { title: 'WHAT', of: ({ event }) => event.replaceAll('_', ' ') },
          { title: 'NOW', of: ({ after, before }) => JSON.stringify(after ?? before), cut: true },
          { title: 'WHY', of: ({ reason }) => reason ?? '', optional: true },
        ]),
      );
    });

  addOwnKeyCommands(root);
}

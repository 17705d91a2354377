import type { Command } from 'commander';
import { callsApi, connect, readsApi, type ConnectionOptions } from '../connection';
import { answer, example } from '../output';
import { confirm, confirms, type Confirmable } from './confirmation';
import { groupTable } from './text';
import { shown } from '../watch';

/** `countersign admin group …` */
export function addGroupCommands(admin: Command): void {
  const group = admin.command('group').description('groups: what one means, the policy says');

  readsApi(group.command('list').description('all groups with their members'))
    .addHelpText('after', example('admin group list'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.groups(),
        text: (page) => groupTable(page.items),
      });
    });

  readsApi(group.command('show').description('one of them').argument('<name>'))
    .addHelpText('after', example('admin group show approvers'))
    .action(async (name: string, options: ConnectionOptions) => {
      await shown(options, {
        read: () => connect(options).admin.group(name),
        text: (found) => groupTable([found]),
      });
    });

  callsApi(
    group
      .command('add')
      .description('add a group')
      .argument('<name>', 'a-z, 0-9 and dash')
      .option('--description <text>', 'what it means', ''),
  )
    .addHelpText('after', example('admin group add finance-lead --description "the last word"'))
    .action(
      async (name: string, { description, ...options }: ConnectionOptions & { description: string }) => {
        const added = await connect(options).admin.addGroup({ name, description });
        answer(options.json, added, () => groupTable([added]));
      },
    );

  const member = (name: 'join' | 'leave', description: string) =>
    callsApi(group.command(name).description(description).argument('<name>').argument('<people...>'))
      .addHelpText('after', example(`admin group ${name} approvers m.ortiz`))
      .action(async (of: string, people: string[], options: ConnectionOptions) => {
        const { admin: doors } = connect(options);
        const { version } = await doors.group(of);
        const moved = name === 'join' ? { add: people } : { remove: people };
        const changed = await doors.changeGroup(of, { version, ...moved });
        answer(options.json, changed, () => groupTable([changed]));
      });
  member('join', 'take people in; not oneself');
  member('leave', 'take people out; not oneself');

  confirms(
    callsApi(
      group
        .command('remove')
        .description('remove a group that has no members and no meaning')
        .argument('<name>'),
    ),
  )
    .addHelpText('after', example('admin group remove old-desk --yes'))
    .action(async (name: string, options: ConnectionOptions & Confirmable) => {
      await confirm(options, `The group ${name} will be gone.`);
      const { admin: doors } = connect(options);
      const { version } = await doors.group(name);
      await doors.removeGroup(name, version);
      answer(options.json, { removed: name }, () => `${name} is removed\n`);
    });
}

import type { Command } from 'commander';
import type { BrakeState } from '../client';
import { callsApi, connect, readsApi, type ConnectionOptions } from './connection';
import { answer, example } from './output';
import { table, when } from './terminal/table';
import { age } from './terminal/time';
import { shown } from './watch';

/** `countersign brake …` */
export function addBrakeCommands(root: Command): void {
  const brake = root
    .command('brake')
    .description('the kill switch: hold back every call to the payment provider');

  readsApi(
    brake.command('show').description('whether it is pulled, by whom and why, and who moved it before'),
  )
    .addHelpText('after', example('brake show'))
    .action(async (options: ConnectionOptions) => {
      await shown(options, { read: () => connect(options).brake.show(), text: (state) => page(state) });
    });

  const move = (name: 'pull' | 'release', description: string) =>
    callsApi(
      brake
        .command(name)
        .description(description)
        .requiredOption('--reason <text>', 'why; it is kept for good'),
    )
      .addHelpText('after', example(`brake ${name} --reason "…"`))
      .action(async (options: ConnectionOptions & { reason: string }) => {
        const state = await connect(options).brake[name](options.reason);
        answer(options.json, state, () => page(state));
      });
  move('pull', 'stop new calls to the provider at once; decisions and timers go on');
  move('release', 'let what waits go on');
}

function page({ engaged, history }: BrakeState): string {
  const now = engaged
    ? `PULLED ${engaged.scope === '*' ? 'for all tenants' : `for ${engaged.scope}`} by ${engaged.actor}, ${age(engaged.at)}: ${engaged.reason}\n`
    : 'Released: refunds are sent to the provider.\n';
  if (history.length === 0) return `${now}It was never pulled.\n`;
  return `${now}\n${table(history, [
    when('WHEN', ({ at }) => at),
    { title: 'WHAT', of: (move) => (move.engaged ? 'pulled' : 'released') },
    { title: 'FOR', of: ({ scope }) => (scope === '*' ? 'all' : scope) },
    { title: 'WHO', of: ({ actor }) => actor },
    { title: 'WHY', of: ({ reason }) => reason, cut: true },
  ])}`;
}

import { Argument, Option, type Command } from 'commander';
import type { FaultRequest } from '../sandbox/provider/faultKinds';
import { faultKinds, faultMeanings, type FaultKind } from '../sandbox/provider/faultKinds';
import { settingsOfCommand } from './connection';
import { chance, wholeNumber } from './numbers';
import { answer, example } from './output';
import { askSandbox, providerOf } from './sandboxProvider';
import { faultText, faultsText, type Fault } from './sandboxText';
import { fields } from './terminal/text';
import { shown, watches, type WatchOptions } from './watch';

interface AddOptions extends Omit<FaultRequest, 'kind' | 'match' | 'times'> {
  readonly times?: number | 'always';
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path?: string;
  readonly idempotencyKey?: string;
  readonly payment?: string;
  readonly event?: string;
  readonly json?: boolean;
}

/** `countersign sandbox fault …`: makes the simulated provider misbehave. */
export function addFaultCommands(sandbox: Command): void {
  const fault = sandbox
    .command('fault')
    .description('make the sandbox provider misbehave: on the next calls, or by chance with a seed');
  addAdd(fault);

  watches(fault.command('list').description('the faults that were asked for, and how often each has hit'))
    .option('--json', 'print them as JSON; errors as problem+json')
    .addHelpText('after', example('sandbox fault list'))
    .action(async (options: WatchOptions) => {
      await shown(options, {
        read: () =>
          askSandbox(providerOf(settingsOfCommand()), 'GET', 'faults') as Promise<{ items: Fault[] }>,
        text: ({ items }) => faultsText(items),
      });
    });

  fault
    .command('clear')
    .description('take one fault back, or all of them')
    .argument('[id]', 'the number that list shows', wholeNumber)
    .option('--json', 'print how many there were as JSON; errors as problem+json')
    .addHelpText('after', example('sandbox fault clear 3', 'sandbox fault clear'))
    .action(async (id: number | undefined, { json }: { json?: boolean }) => {
      const path = id === undefined ? 'faults' : `faults/${id}`;
      const done = (await askSandbox(providerOf(settingsOfCommand()), 'DELETE', path)) as { cleared: number };
      answer(json, done, () => `cleared: ${done.cleared}\n`);
    });
}

function addAdd(fault: Command): void {
  const which = [
    new Option('--method <method>', 'only calls by this method').choices(['GET', 'POST', 'DELETE']),
    new Option('--path <path>', 'only calls to this path; * stands for anything, such as /v1/refunds*'),
    new Option('--idempotency-key <key>', 'only calls with this idempotency key'),
    new Option('--payment <id>', 'only calls or events about this ch_… or pi_…'),
    new Option('--event <type>', 'webhook faults: only events of this type, such as refund.*'),
    new Option(
      '--times <n>',
      'how many of them, or always; default 1, and always with --probability',
    ).argParser(times),
    new Option('--probability <p>', 'the chance that a call is hit, 0 to 1').argParser(chance),
    new Option('--seed <text>', 'the same seed and order of calls give the same hits'),
  ];
  const how = [
    new Option('--ms <n>', 'latency, webhook_delay, webhook_reorder: how long, in milliseconds').argParser(
      wholeNumber,
    ),
    new Option(
      '--retry-after-seconds <n>',
      'status_429: what it says to wait; left out, it says nothing',
    ).argParser(wholeNumber),
    new Option('--code <code>', 'status_429: too many calls, or a locked object').choices([
      'rate_limit',
      'lock_timeout',
    ]),
    new Option('--after-effect', 'status_500: the effect is there although the answer is an error'),
    new Option('--as <what>', 'insufficient_balance: an error, or a refund that waits for funds').choices([
      'error',
      'pending',
    ]),
    new Option('--after-ms <n>', 'refunds that move on by themselves: after how many milliseconds').argParser(
      wholeNumber,
    ),
    new Option('--failure-reason <reason>', 'refund_pending, refund_fails_later: why it fails in the end'),
  ];
  const command = fault
    .command('add')
    .description('ask for one kind of fault')
    .addArgument(new Argument('<kind>', 'what goes wrong, see below').choices(faultKinds))
    .option('--json', 'print the fault as JSON; errors as problem+json');
  for (const option of which) command.addOption(option.helpGroup('Which calls:'));
  for (const option of how) command.addOption(option.helpGroup('How:'));
  command
    .addHelpText('after', `\nKinds:\n${fields(faultKinds.map((kind) => [kind, faultMeanings[kind]]))}`)
    .addHelpText(
      'after',
      example(
        'sandbox fault add cut_after_commit --method POST --path /v1/refunds',
        'sandbox fault add status_429 --retry-after-seconds 7 --times 3',
        'sandbox fault add latency --ms 2000 --probability 0.2 --seed monday',
        'sandbox fault add refund_pending --after-ms 30000',
        "sandbox fault add webhook_never --event 'refund.*' --times always",
      ),
    )
    .action(async (kind: FaultKind, options: AddOptions) => {
      const { json, method, path, idempotencyKey, payment, event, times: n, ...rest } = options;
      const made = (await askSandbox(providerOf(settingsOfCommand()), 'POST', 'faults', {
        kind,
        match: { method, path, idempotencyKey, payment, event },
        times: n === 'always' ? null : n,
        ...rest,
      })) as Fault;
      answer(json, made, () => faultText(made));
    });
}

/** Commander makes an empty text of a null, so the word itself is kept. */
function times(value: string): number | 'always' {
  return value === 'always' ? value : wholeNumber(value);
}

import { Option, type Command } from 'commander';
import { settingsOfCommand } from './connection';
import { wholeNumber } from './numbers';
import { example } from './output';
import { askSandbox, providerOf } from './sandboxProvider';
import { logText, type RequestLog } from './sandboxText';
import { shown, watches, type WatchOptions } from './watch';

interface LogOptions extends WatchOptions {
  readonly method?: string;
  readonly path?: string;
  readonly idempotencyKey?: string;
  readonly payment?: string;
  readonly after?: number;
  readonly limit?: number;
}

/** `countersign sandbox log`: what the simulated provider was asked, and what came of it. */
export function addLogCommand(sandbox: Command): void {
  watches(
    sandbox
      .command('log')
      .description('what the sandbox provider was asked, oldest first, with counts over all that matches'),
  )
    .addOption(new Option('--method <method>', 'only this method').choices(['GET', 'POST', 'DELETE']))
    .option('--path <path>', 'only this path; * stands for anything, such as /v1/refunds*')
    .option('--idempotency-key <key>', 'only this idempotency key')
    .option('--payment <id>', 'only calls about this ch_… or pi_…')
    .option('--after <seq>', 'only what came after this number', wholeNumber)
    .option('--limit <n>', 'how many lines, 1 to 1000', wholeNumber, 100)
    .option('--json', 'print counts and lines as JSON, with parameters; errors as problem+json')
    .addHelpText(
      'after',
      example('sandbox log --method POST --path /v1/refunds', 'sandbox log --payment ch_… --json'),
    )
    .action(async ({ json, watch, idempotencyKey, ...options }: LogOptions) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries({ ...options, idempotency_key: idempotencyKey }))
        if (value !== undefined) query.set(name, String(value));
      const path = `requests?${query.toString()}`;
      await shown(
        { json, watch },
        {
          read: () => askSandbox(providerOf(settingsOfCommand()), 'GET', path) as Promise<RequestLog>,
          text: logText,
        },
      );
    });
}

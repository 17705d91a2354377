import type { Command } from 'commander';
import { amountText, moneyText } from './amountText';
import { settingsOfCommand } from './connection';
import { answer, example } from './output';
import type { ChargeOptions } from './sandboxCharge';
import { addFaultCommands } from './sandboxFault';
import { logsJson } from './servers';
import { addLogCommand } from './sandboxLog';

/** `countersign sandbox`: the simulated provider itself, and what people do at it to try things. */
export function addSandboxCommands(root: Command): void {
  const sandbox = root
    .command('sandbox')
    .description('run the sandbox payment provider: a simulation that moves no money')
    .addHelpText(
      'after',
      '\nWithout a command it needs DATABASE_URL and STRIPE_API_KEY. COUNTERSIGN_SANDBOX_KEY_EXPIRY_SECONDS says how long it\nremembers idempotency keys (default 86400, a day).\n',
    )
    .option(...logsJson)
    .action(async () => (await import('../main/provider.js')).runProvider(settingsOfCommand()));

  sandbox
    .command('charge')
    .description('make a payment to refund, at the provider of STRIPE_API_BASE or of countersign up')
    .requiredOption('--amount <amount>', 'in major units, such as 120.00')
    .requiredOption('--currency <code>', 'such as USD')
    .option('--customer <id>', 'whose payment it is')
    .option('--uncaptured', 'only authorized, nothing taken yet')
    .option(
      '--created <when>',
      'as if made then: a date such as 2026-01-31, or an age such as 91d (simulation only)',
    )
    .option('--json', 'print the charge as JSON; errors as problem+json')
    .addHelpText('after', example('sandbox charge --amount 120.00 --currency USD --customer cus_1'))
    .action(async ({ json, ...options }: ChargeOptions & { json?: boolean }) => {
      const { makeCharge } = await import('./sandboxCharge.js');
      const { charge, amount } = await makeCharge(settingsOfCommand(), options);
      answer(json, charge, () => {
        const text = moneyText(amount) ?? amountText({ value: options.amount, currency: options.currency });
        if (!charge.captured) return `${charge.id}  ${text}, not captured: there is nothing to refund yet\n`;
        return `${charge.id}  ${text}

Refund it: countersign refund start --payment ${charge.id} --amount ${options.amount} --currency ${options.currency} --reason damaged
`;
      });
    });

  addFaultCommands(sandbox);
  addLogCommand(sandbox);
}

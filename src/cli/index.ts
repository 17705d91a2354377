import { Command, CommanderError } from 'commander';
import { addServerCommands } from './servers';
import { exitCodeOf, printError } from './failure';
import { version } from '../main/version';

function program(): Command {
  const root = new Command('countersign')
    .description('Refunds that run durably on Temporal, with human approval and governed memory')
    .version(version)
    .showHelpAfterError('(add --help for what this command takes)')
    .exitOverride();
  addServerCommands(root);
  return root;
}

async function main(): Promise<void> {
  const json = process.argv.includes('--json');
  try {
    await program().parseAsync(process.argv);
  } catch (error) {
    // Commander has printed its own message already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    printError(error, json);
    process.exitCode = exitCodeOf(error);
  }
}

void main();

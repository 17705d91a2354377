import { CommanderError, type Command } from 'commander';
import { CountersignError } from '../client';
import { exitCodeOf, printError } from './failure';
import { program } from './program';
import { listBeside } from './suggestions';

async function main(): Promise<void> {
  const json = process.argv.includes('--json');
  const root = program(json);
  let asked: Command | undefined;
  root.hook('preAction', (_root, command) => {
    asked = command;
  });
  try {
    await root.parseAsync(process.argv);
  } catch (error) {
    // Commander has printed its own message already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const isUnknown = error instanceof CountersignError && error.code === 'not_found';
    printError(error, json, isUnknown ? listBeside(asked) : undefined);
    process.exitCode = exitCodeOf(error);
  }
}

// `countersign refund list | head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

void main();

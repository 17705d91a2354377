import { CommanderError } from 'commander';
import { exitCodeOf, printError } from './failure';
import { program } from './program';

async function main(): Promise<void> {
  const json = process.argv.includes('--json');
  try {
    await program(json).parseAsync(process.argv);
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

// `countersign refund list | head` closes the pipe when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

void main();

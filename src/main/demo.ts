import { Command } from 'commander';
import { exitCodes, runDemo } from './demo/run';

/** `npm run demo`: the story on real processes, with its checks counted at the payment provider. */
async function main(): Promise<void> {
  const options = new Command('npm run demo --')
    .description(
      'Tells how a refund survives deaths, doubts and double clicks, on real processes in a fresh folder',
    )
    .option('--json', 'print one JSON object with the checks at the end; the story goes to standard error')
    .option('--keep', 'keep the data folder also when every check passes')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .allowExcessArguments(false)
    .parse()
    .opts<{ json?: boolean; keep?: boolean }>();
  process.exitCode = await runDemo({ json: options.json === true, keep: options.keep === true });
  // The scene that was interrupted would go on waiting for what will not come.
  if (process.exitCode === exitCodes.interrupted) process.exit();
}

void main();

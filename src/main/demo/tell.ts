import { Command } from 'commander';
import { exitCodes, runDemo, type DemoOptions } from './run';

interface Story extends Pick<DemoOptions, 'title' | 'scenes'> {
  readonly command: string;
  readonly description: string;
}

/** A story as a command of its own. */
export async function tellDemo({ command, description, ...story }: Story): Promise<void> {
  const { json, keep } = new Command(command)
    .description(description)
    .option('--json', 'print one JSON object with the checks at the end; the story goes to standard error')
    .option('--keep', 'keep the data folder also when every check passes')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .allowExcessArguments(false)
    .parse()
    .opts<{ json?: boolean; keep?: boolean }>();
  process.exitCode = await runDemo({ ...story, json: json === true, keep: keep === true });
  // The scene that was interrupted would go on waiting for what will not come.
  if (process.exitCode === exitCodes.interrupted) process.exit();
}

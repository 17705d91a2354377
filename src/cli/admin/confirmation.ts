import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { UsageError } from '../failure';

export interface Confirmable {
  readonly yes?: boolean;
}

export function confirms(command: Command): Command {
  return command.option('--yes', 'do it without asking');
}

/** Asks before what can't be taken back. @throws UsageError without a yes, or with nobody there to ask */
export async function confirm({ yes }: Confirmable, what: string): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${what} Add --yes if that is meant.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const said = await terminal.question(`${what} Type yes to go on: `);
    if (said.trim().toLowerCase() !== 'yes') throw new UsageError('not confirmed; nothing was changed');
  } finally {
    terminal.close();
  }
}

export function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

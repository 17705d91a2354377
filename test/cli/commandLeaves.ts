import type { Command } from 'commander';

/** Everything that does something when it is called, with its words after `countersign`. */
export function leaves(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  const below = command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
  // Groups without an action of their own only show what there is.
  const acts = '_actionHandler' in command && command._actionHandler !== null;
  return acts && path.length > 0 ? [{ path: path.join(' '), command }, ...below] : below;
}

/** The examples of its help, without `countersign`. */
export function examplesOf(command: Command): string[] {
  let printed = '';
  command.configureOutput({ writeOut: (text) => (printed += text) }).outputHelp();
  return [...printed.matchAll(/^ {2}\$ countersign (.*)$/gm)].map(([, line = '']) => line);
}

/** As a shell takes a line apart that has quotes and nothing else of a shell's. */
export function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  );
}

import type { Command } from 'commander';

/** Says after every mistake in a command's own words what it takes. */
export function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`(what it takes: ${path} --help)`);
  for (const below of command.commands) pointToHelp(below, `${path} ${below.name()}`);
}

/**
 * Where a command of that name is that stands nowhere here: `refund approve` is `approvals approve`. Spelling mistakes
 * are commander's own suggestion.
 */
export function elsewhere(root: Command, message: string): string {
  const name = /unknown command '([^']*)'/.exec(message)?.[1];
  if (name === undefined || message.includes('Did you mean')) return message;
  const found = named(root, name, root.name());
  return found.length === 0 ? message : `${message.trimEnd()}\n(There is: ${found.slice(0, 4).join(', ')})\n`;
}

/** What lists the things of which one was asked for: the `list` beside the command. */
export function listBeside(command: Command | undefined): string | undefined {
  const group = command?.parent;
  if (!group?.commands.some((beside) => beside.name() === 'list')) return undefined;
  return `what there is: ${pathOf(group)} list`;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function named(command: Command, name: string, path: string): string[] {
  return command.commands.flatMap((below) => {
    const here = `${path} ${below.name()}`;
    return [...(below.name() === name ? [here] : []), ...named(below, name, here)];
  });
}

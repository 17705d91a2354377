import type { Argument, Command, Option } from 'commander';

/** What stands after an option or as an argument: one of some words, a file, a folder, or what nobody can guess. */
export type Value = readonly string[] | 'file' | 'folder' | 'free';

export interface KnownOption {
  /** `--status`, and `-h` where it has a short form. */
  readonly names: readonly string[];
  readonly description: string;
  /** Undefined for one that takes no value. */
  readonly value: Value | undefined;
}

/** One command as shells complete it. */
export interface KnownCommand {
  /** From the first word after `countersign`; empty for the command line itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly options: readonly KnownOption[];
  readonly argument: Value;
  readonly commands: readonly KnownCommand[];
}

/** The whole tree under `command`, in the order of its help. Ids, amounts and texts are not guessed. */
export function commandTree(command: Command, path: readonly string[] = []): KnownCommand {
  const help = command.createHelp();
  return {
    path,
    description: firstClause(command.description()),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      description: firstClause(option.description),
      value: option.required || option.optional ? valueOf(option, placeholder(option)) : undefined,
    })),
    argument: argumentOf(command.registeredArguments[0]),
    commands: help
      .visibleCommands(command)
      .filter((below) => below.name() !== 'help')
      .map((below) => commandTree(below, [...path, below.name()])),
  };
}

/** Every command of the tree, itself first. */
export function allCommands(command: KnownCommand): KnownCommand[] {
  return [command, ...command.commands.flatMap(allCommands)];
}

function argumentOf(argument: Argument | undefined): Value {
  return argument === undefined ? 'free' : valueOf(argument, argument.name());
}

function placeholder({ flags }: Option): string {
  return /[<[](.*?)(\.\.\.)?[>\]]/.exec(flags)?.[1] ?? '';
}

function valueOf({ argChoices }: Pick<Option | Argument, 'argChoices'>, name: string): Value {
  if (argChoices) return argChoices;
  if (name === 'folder') return 'folder';
  return ['file', 'path', 'jwk'].includes(name) ? 'file' : 'free';
}

/** Lists of words beside each other have room for a clause. */
function firstClause(description: string): string {
  return description.split(/[;:,] /)[0] ?? '';
}

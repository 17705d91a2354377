import { allCommands, type KnownCommand, type Value } from './commandTree';

/** One line for each word that may stand somewhere. */
export function fishCompletion(root: KnownCommand): string {
  const commands = allCommands(root);
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  return `# fish completion of countersign; put this into config.fish: countersign completion fish | source
function __countersign_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join -- ' ' $at $word) ${paths.join(' ')}
            set -a at $word
        end
    end
    test "$at" = "$argv"
end
complete -c countersign -f
${commands.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ path, options, argument, commands }: KnownCommand): string[] {
  const here = `complete -c countersign -n ${quoted(`__countersign_at ${path.join(' ')}`.trim())}`;
  return [
    ...(argument === 'free' ? [] : [`${here} ${valueFlags(argument)}`]),
    ...commands.map((command) => `${here} -a ${command.path.at(-1)} -d ${quoted(command.description)}`),
    ...options.map(({ names, description, value }) => {
      const flags = names.map((name) =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      const takes = value === undefined ? [] : ['-r', valueFlags(value)];
      return [here, ...flags, ...takes, `-d ${quoted(description)}`].join(' ');
    }),
  ];
}

function valueFlags(value: Value): string {
  if (value === 'free') return '-f';
  if (value === 'file') return '-F';
  return value === 'folder' ? "-f -a '(__fish_complete_directories)'" : `-f -a ${quoted(value.join(' '))}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

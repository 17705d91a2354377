import { allCommands, type KnownCommand, type Value } from './commandTree';

/** Walks the words up to the cursor down the tree of commands, then offers what fits there. */
export function bashCompletion(root: KnownCommand): string {
  const commands = allCommands(root);
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(' ')}"`);
  return `# bash completion of countersign; put this into ~/.bashrc: source <(countersign completion bash)
_countersign() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path= words= word
  # --format=js is three words to bash.
  if [[ $cur == "=" ]]; then
    cur=
  elif [[ $prev == "=" ]]; then
    prev=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$path|$prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${commands.map(commandCase).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _countersign countersign
`;
}

function valueCases({ path, options }: KnownCommand): string[] {
  return options.flatMap(({ names, value }) =>
    value === undefined
      ? []
      : [`    ${names.map((name) => `"${path.join(' ')}|${name}"`).join('|')}) ${reply(value)}return ;;`],
  );
}

function reply(value: Value): string {
  if (value === 'free') return '';
  return `COMPREPLY=($(compgen ${generator(value)} -- "$cur")); `;
}

function generator(value: Exclude<Value, 'free'>): string {
  if (value === 'file') return '-f';
  return value === 'folder' ? '-d' : `-W "${value.join(' ')}"`;
}

function commandCase({ path, options, argument, commands }: KnownCommand): string {
  const names = options.map(({ names: [...all] }) => all.at(-1));
  const words = [...commands.map((command) => command.path.at(-1)), ...names];
  const listed = typeof argument === 'string' ? words : [...argument, ...words];
  const files =
    argument === 'file' || argument === 'folder' ? `[[ $cur == -* ]] || { ${reply(argument)}return; }; ` : '';
  return `    "${path.join(' ')}") ${files}words="${listed.join(' ')}" ;;`;
}

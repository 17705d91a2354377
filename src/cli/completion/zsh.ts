import { allCommands, type KnownCommand, type Value } from './commandTree';

/** As for bash, with a description beside each word. */
export function zshCompletion(root: KnownCommand): string {
  const commands = allCommands(root);
  const paths = commands.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')));
  return `#compdef countersign
# zsh completion of countersign; put this into ~/.zshrc after compinit: source <(countersign completion zsh)
_countersign() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at= word
  local -a offered
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      (${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|$prev" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$at" in
${commands.map(commandCase).join('\n')}
  esac
  _describe countersign offered
}
compdef _countersign countersign
`;
}

function valueCases({ path, options }: KnownCommand): string[] {
  return options.flatMap(({ names, value }) =>
    value === undefined
      ? []
      : [
          `    (${names.map((name) => quoted(`${path.join(' ')}|${name}`)).join('|')}) ${reply(value)}return ;;`,
        ],
  );
}

function reply(value: Value): string {
  if (value === 'free') return '';
  if (value === 'file') return '_files; ';
  return value === 'folder' ? '_files -/; ' : `compadd -- ${value.map(quoted).join(' ')}; `;
}

function commandCase({ path, options, argument, commands }: KnownCommand): string {
  const offered = [
    ...(typeof argument === 'string' ? [] : argument.map(quoted)),
    ...commands.map((command) => described(command.path.at(-1) ?? '', command.description)),
    ...options.map(({ names, description }) => described(names.at(-1) ?? '', description)),
  ];
  const files =
    argument === 'file' || argument === 'folder' ? `[[ $cur == -* ]] || { ${reply(argument)}return; }; ` : '';
  return `    (${quoted(path.join(' '))}) ${files}offered=(${offered.join(' ')}) ;;`;
}

/** `_describe` splits at the first colon. */
function described(word: string, description: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${description}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

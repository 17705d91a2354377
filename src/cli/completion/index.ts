import { Argument, type Command } from 'commander';
import { example } from '../output';
import { bashCompletion } from './bash';
import { commandTree, type KnownCommand } from './commandTree';
import { fishCompletion } from './fish';
import { zshCompletion } from './zsh';

const shells: Readonly<Record<string, (root: KnownCommand) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `countersign completion` */
export function addCompletionCommand(root: Command): void {
  root
    .command('completion')
    .description('print what makes a shell complete commands, options and their words')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .option('--json', 'print the tree of commands that it is made of')
    .addHelpText(
      'after',
      `
bash, in ~/.bashrc:           source <(countersign completion bash)
zsh, in ~/.zshrc:             source <(countersign completion zsh)
fish, in config.fish:         countersign completion fish | source
${example('completion bash')}`,
    )
    .action((shell: string, { json }: { json?: boolean }) => {
      const tree = commandTree(root);
      process.stdout.write(json ? `${JSON.stringify(tree)}\n` : (shells[shell]?.(tree) ?? ''));
    });
}

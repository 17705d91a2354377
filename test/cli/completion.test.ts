import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bashCompletion } from '../../src/cli/completion/bash';
import { allCommands, commandTree } from '../../src/cli/completion/commandTree';
import { fishCompletion } from '../../src/cli/completion/fish';
import { zshCompletion } from '../../src/cli/completion/zsh';
import { program } from '../../src/cli/program';

const tree = commandTree(program(false));

describe('completion in a real bash', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-completion-'));
    writeFileSync(join(folder, 'completion.bash'), bashCompletion(tree));
    writeFileSync(join(folder, 'handbook.md'), '');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** What is offered for the last of the words, in order. */
  async function offered(lines: string[][]): Promise<string[][]> {
    const tries = lines.map(
      (words) =>
        `COMP_WORDS=(countersign ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _countersign; echo "\${COMPREPLY[*]}"`,
    );
    const script = ['set -eu', 'source ./completion.bash', ...tries].join('\n');
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
    return stdout
      .split('\n')
      .slice(0, lines.length)
      .map((line) => line.split(' ').filter((word) => word !== ''));
  }

  test('offers commands, options and their words where they fit, and guesses no id', async () => {
    const [top, decide, option, word, equals, shell, id, afterId, file, pathFile, nested] = await offered([
      ['re'],
      ['approvals', 'ap'],
      ['refund', 'list', '--ph'],
      ['approvals', 'list', '--sort', ''],
      ['audit', 'export', '--format', '=', 'j'],
      ['completion', ''],
      ['approvals', 'list', '--group', ''],
      ['refund', 'show', 'run_1', '--w'],
      ['memory', 'export', '--out', 'hand'],
      ['knowledge', 'ingest', 'hand'],
      ['admin', 'person', 'a'],
    ]);
    expect(top).toEqual(['refund', 'reconcile']);
    expect(decide).toEqual(['approve']);
    expect(option).toEqual(['--phase']);
    expect(word).toEqual(['oldest', 'newest', 'deadline', 'amount']);
    expect(equals).toEqual(['jsonl']);
    expect(shell).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish', '--json']));
    expect(id).toEqual([]);
    expect(afterId).toEqual(['--watch']);
    expect(file).toEqual(['handbook.md']);
    expect(pathFile).toEqual(['handbook.md']);
    expect(nested).toEqual(['add', 'activate']);
  });

  test('a value that is called as a command is goes nowhere', async () => {
    const [after] = await offered([['refund', 'list', '--customer', 'show', '--pha']]);
    expect(after).toEqual(['--phase']);
  });
});

describe('completion in other shells', () => {
  const commands = allCommands(tree).filter(({ path }) => path.length > 0);

  test('zsh and fish get every command with its description, quoted', () => {
    const [zsh, fish] = [zshCompletion(tree), fishCompletion(tree)];
    expect(commands.length).toBeGreaterThan(100);
    for (const { path, description } of commands) {
      const name = path.at(-1) ?? '';
      expect(zsh).toContain(`'${name}:${description.replaceAll("'", "'\\''")}'`);
      expect(fish).toContain(` -a ${name} -d '${description.replaceAll("'", "\\'")}'`);
    }
    expect(zsh).toMatch(/^#compdef countersign\n/);
    expect(fish).toContain("-l sort -r -f -a 'oldest newest deadline amount'");
  });
});

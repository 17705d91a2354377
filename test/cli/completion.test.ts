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
import { findOnPath } from '../../src/sandbox/embedded/commandRun';

const tree = commandTree(program(false));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-completion-'));
  const scripts = { bash: bashCompletion(tree), zsh: zshCompletion(tree), fish: fishCompletion(tree) };
  for (const [shell, script] of Object.entries(scripts))
    writeFileSync(join(folder, `completion.${shell}`), script);
  writeFileSync(join(folder, 'handbook.md'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the shell prints in the folder with the scripts, which are too long to be an argument. */
const printed = async (shell: string, args: readonly string[], lines: readonly string[]) =>
  (await promisify(execFile)(shell, [...args, '-c', lines.join('\n')], { cwd: folder })).stdout;

describe('completion in a real bash', () => {
  /** What is offered for the last of the words, in order. */
  async function offered(lines: string[][]): Promise<string[][]> {
    const tries = lines.map(
      (words) =>
        `COMP_WORDS=(countersign ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _countersign; echo "\${COMPREPLY[*]}"`,
    );
    return (await printed('bash', ['-eu'], ['source ./completion.bash', ...tries]))
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

/** Machines without a shell check that its script is of its syntax; those that have it run it. */
const where = (shell: string) => (findOnPath(shell, process.env) === undefined ? test.skip : test);

describe('completion in zsh', () => {
  const script = zshCompletion(tree);

  test('gets every command with its description, quoted', () => {
    const commands = allCommands(tree).filter(({ path }) => path.length > 0);
    expect(commands.length).toBeGreaterThan(100);
    for (const { path, description } of commands)
      expect(script).toContain(`'${path.at(-1) ?? ''}:${description.replaceAll("'", "'\\''")}'`);
    expect(script).toMatch(/^#compdef countersign\n/);
  });

  test('is whole: what quotes and closes it is of the grammar that zsh shares with bash', async () => {
    const parsed = (text: string) => {
      writeFileSync(join(folder, 'parsed.zsh'), text);
      return printed('bash', [], ['bash -n ./parsed.zsh']);
    };
    await expect(parsed(script)).resolves.toBe('');
    const broken = [script.replace("'\\''", "'"), script.replace(' in\n', '\n'), script.replace('esac', '')];
    for (const text of broken) await expect(parsed(text)).rejects.toThrow('syntax error');
  });

  where('zsh')('a real one offers commands, options, words and files where they fit', async () => {
    const lines = [
      ['refund', 'list', '--customer', 'show', '--pha'],
      ['approvals', 'list', '--sort', ''],
      ['memory', 'export', '--out', 'hand'],
      ['admin', 'person', 'a'],
      ['approvals', 'list', '--group', ''],
    ];
    const stdout = await printed(
      'zsh',
      ['-f'],
      [
        // What zsh has there shows a menu; here it says what it was given.
        'compdef() { : }; _describe() { print -rl -- "${(@P)2}" }; _files() { print files }',
        'compadd() { shift; print -rl -- "$@" }',
        'source ./completion.zsh',
        ...lines.map(
          (words) =>
            `words=(countersign ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _countersign; print =`,
        ),
      ],
    );
    const [option, word, file, nested, id] = stdout.split('=\n').map((part) => part.trimEnd().split('\n'));
    expect(option).toContain('--phase:only those that are in it');
    expect(word).toEqual(['oldest', 'newest', 'deadline', 'amount']);
    expect(file).toEqual(['files']);
    expect(nested).toEqual(expect.arrayContaining(['add:add one', 'activate:in again']));
    expect(id).toEqual(['']);
  });
});

describe('completion in fish', () => {
  const script = fishCompletion(tree);

  /** The words of one line as fish reads them; what is not closed is no word. */
  function words(line: string): string[] {
    const found = [...line.matchAll(/'((?:[^'\\]|\\.)*)'|[^\s'"$;|&<>()]+/g)];
    if (line.replaceAll(/'((?:[^'\\]|\\.)*)'|[^\s'"$;|&<>()]+/g, '').trim() !== '') throw new Error(line);
    return found.map(([word, quoted]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? word);
  }

  test('gets every command and option with its description, each line whole', () => {
    const lines = script.split('\n').filter((line) => line.startsWith('complete -c countersign -n '));
    const told = lines.map((line) => words(line).slice(3));
    const at = (path: readonly string[]) => ['-n', ['__countersign_at', ...path].join(' ')];
    const commands = allCommands(tree);
    expect(told).toEqual(
      expect.arrayContaining(
        commands.flatMap(({ path, options, commands: below }) => [
          ...below.map((command) => [...at(path), '-a', command.path.at(-1), '-d', command.description]),
          ...options
            .filter(({ value, names }) => value === undefined && names.length === 1)
            .map(({ names, description }) => [...at(path), '-l', names[0]?.slice(2), '-d', description]),
        ]),
      ),
    );
    const flags = new Set(told.flat().filter((word) => /^-\w$/.test(word)));
    expect([...flags].sort()).toEqual(['-F', '-a', '-d', '-f', '-l', '-n', '-r', '-s']);
    expect(script).toContain("-l sort -r -f -a 'oldest newest deadline amount'");
    expect(script.match(/^\s*(if|for|function)\b/gm)).toHaveLength(script.match(/^\s*end$/gm)?.length ?? 0);
    expect(() => words("complete -d 'the provider's'")).toThrow();
  });

  where('fish')('a real one offers commands, options, words and files where they fit', async () => {
    const lines = [
      'countersign re',
      'countersign refund list --customer show --pha',
      'countersign approvals list --sort ',
      'countersign admin person a',
      'countersign approvals list --group ',
    ];
    const asked = lines.map((line) => `complete -C '${line}'; echo =`);
    const stdout = await printed('fish', ['--no-config'], ['source ./completion.fish', ...asked]);
    const offered = stdout
      .split('=\n')
      .map((part) => part.split('\n').flatMap((line) => line.split('\t')[0] || []));
    expect(offered.slice(0, lines.length)).toEqual([
      ['reconcile', 'refund'],
      ['--phase'],
      ['amount', 'deadline', 'newest', 'oldest'],
      ['activate', 'add'],
      [],
    ]);
  });
});

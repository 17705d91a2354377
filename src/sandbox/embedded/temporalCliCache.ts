import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runCommand } from './commandRun';
import { readStateFile, writeStateFile } from './stateFile';
import { removeUnfinished, unfinishedName } from './unfinished';

/** Server 1.32, Web UI 2.54. */
export const temporalCliVersion = '1.9.1';

/** Written last, before the folder gets its final name: what is in it is whole. */
const receiptSchema = z.strictObject({
  version: z.literal(temporalCliVersion),
  bytes: z.number().int().positive(),
});

export type CacheResult =
  | { readonly path: string; readonly failure?: undefined }
  | { readonly path?: undefined; readonly failure: string };

function finalFolder(cache: string): string {
  return join(cache, `temporal-cli-${temporalCliVersion}`);
}

export async function cachedTemporalCli(
  cache: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<CacheResult> {
  const folder = finalFolder(cache);
  const path = join(folder, 'bin', 'temporal');
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { failure: `${path} is not there` };
  if (readStateFile(join(folder, 'receipt.json'), receiptSchema)?.bytes !== size) {
    return { failure: `${path} is not whole` };
  }
  return checkRuns(path, env);
}

async function checkRuns(path: string, env: Readonly<NodeJS.ProcessEnv>): Promise<CacheResult> {
  const result = await runCommand(path, ['--version'], { env, timeoutMs: 30_000 });
  if (!result.ok) return { failure: `${path} does not run (${result.failure})` };
  return result.output.includes(temporalCliVersion) ? { path } : { failure: `${path} is another version` };
}

/**
 * Builds the cache entry in a folder of its own and puts it in place in one step, so that others see all of
 * it or nothing, and two that install at the same time end up with one of the two.
 *
 * @param build puts the executable at `bin/temporal` under the folder that it is given, or says why it couldn't
 */
export async function fillTemporalCliCache(
  cache: string,
  env: Readonly<NodeJS.ProcessEnv>,
  build: (folder: string) => Promise<string | undefined>,
): Promise<CacheResult> {
  const building = unfinishedName(finalFolder(cache));
  try {
    mkdirSync(building, { recursive: true });
    removeUnfinished(cache, 'shared');
    const failure = await build(building);
    if (failure !== undefined) return { failure };
    const built = await checkRuns(join(building, 'bin', 'temporal'), env);
    if (built.path === undefined) return built;
    writeStateFile(join(building, 'receipt.json'), {
      version: temporalCliVersion,
      bytes: statSync(built.path).size,
    });
    return await putInPlace(building, cache, env);
  } catch (error) {
    return { failure: (error as Error).message };
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

async function putInPlace(
  building: string,
  cache: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<CacheResult> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    try {
      renameSync(building, finalFolder(cache));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
    const inPlace = await cachedTemporalCli(cache, env);
    if (inPlace.path !== undefined) return inPlace;
    // What stands there is broken. It is moved aside whole, since somebody may be replacing it as well.
    const aside = unfinishedName(finalFolder(cache));
    renameSync(finalFolder(cache), aside);
    rmSync(aside, { recursive: true, force: true });
  }
  return { failure: `${finalFolder(cache)} could not be replaced` };
}

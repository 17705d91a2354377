import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { identifyProcess, isSameProcessRunning } from '../../../src/sandbox/embedded/processIdentity';
import { isThere, scratchFolder } from './scratch';

/** Runs until it is told to stop, as a part does. */
function bystander() {
  return spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
}

/** A pid that was in use and no longer is. */
async function deadProcess() {
  const child = bystander();
  const identity = identifyProcess(child.pid!);
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
  return identity;
}

describe('the data folder', () => {
  let scratch: ReturnType<typeof scratchFolder>;
  let path: string;
  beforeEach(() => {
    scratch = scratchFolder();
    path = join(scratch.path, 'data');
  });
  afterEach(() => scratch.remove());

  it('is made closed to others, and so are its secrets, which stay the same', async () => {
    const folder = await openDataFolder(path);
    const secret = folder.secret('postgres');
    folder.release();
    const again = await openDataFolder(path);
    expect(again.secret('postgres')).toBe(secret);
    expect(again.secret('other')).not.toBe(secret);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(statSync(again.file('secrets.json')).mode & 0o777).toBe(0o600);
    again.release();
  });

  it('remembers its ports, and starts without them when their file is damaged', async () => {
    const folder = await openDataFolder(path);
    folder.rememberPorts({ api: 18_080 });
    expect(folder.rememberedPorts()).toEqual({ api: 18_080 });
    writeFileSync(folder.file('ports.json'), '{"api": 18');
    expect(folder.rememberedPorts()).toEqual({});
    folder.release();
  });

  it('refuses a folder that a living process uses, and names that process', async () => {
    const holder = bystander();
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), JSON.stringify(identifyProcess(holder.pid!)));
    await expect(openDataFolder(path)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      detail: expect.stringContaining(`kill ${holder.pid}`),
      details: { lockedBy: holder.pid },
    });
    holder.kill('SIGKILL');
  });

  it('refuses a second opening by the same process until the first gives it back', async () => {
    const folder = await openDataFolder(path);
    await expect(openDataFolder(path)).rejects.toMatchObject({ details: { lockedBy: process.pid } });
    folder.release();
    (await openDataFolder(path)).release();
    expect(existsSync(join(path, 'lock'))).toBe(false);
  });

  it.each([
    ['a process that has died', deadProcess],
    [
      "a process whose pid is somebody else's by now",
      async () => ({ pid: process.pid, startedAt: 'another-boot:1' }),
    ],
    ['nobody, being half written', async () => undefined],
  ])('takes over the lock of %s', async (_whose, holder) => {
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), JSON.stringify(await holder()) ?? '{"pid": 12');
    const folder = await openDataFolder(path);
    expect(JSON.parse(readFileSync(join(path, 'lock'), 'utf8'))).toEqual(identifyProcess(process.pid));
    folder.release();
  });

  it('lets exactly one of many take over a stale lock', async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'lock'), JSON.stringify(await deadProcess()));
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => openDataFolder(path)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('stops what a killed earlier run left running, and nothing that only has its pid', async () => {
    const leftover = bystander();
    const stranger = bystander();
    mkdirSync(path);
    writeFileSync(
      join(path, 'children.json'),
      JSON.stringify([
        { name: 'temporal', stopSignal: 'SIGTERM', ...identifyProcess(leftover.pid!) },
        { name: 'api', stopSignal: 'SIGTERM', pid: stranger.pid, startedAt: 'another-boot:1' },
      ]),
    );
    const exit = once(leftover, 'exit');
    const folder = await openDataFolder(path);
    await exit;
    expect(folder.stoppedLeftovers.map(({ name }) => name)).toEqual(['temporal']);
    expect(isThere(stranger.pid!)).toBe(true);
    stranger.kill('SIGKILL');
    folder.release();
  });

  it('kills a leftover that ignores the request to stop', async () => {
    const program =
      "process.on('SIGTERM', () => {}); process.stdout.write('up'); setInterval(() => {}, 1000)";
    const stubborn = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(stubborn.stdout, 'data');
    const folder = await openDataFolder(path);
    folder.children.add('worker', stubborn.pid!, 'SIGTERM');
    const identity = identifyProcess(stubborn.pid!);
    expect((await folder.children.stopLeftovers(200)).map(({ name }) => name)).toEqual(['worker']);
    expect(isSameProcessRunning(identity)).toBe(false);
    folder.release();
  });

  it('throws away what an earlier run had only half built', async () => {
    mkdirSync(join(path, 'postgres.0123.unfinished', 'data'), { recursive: true });
    const folder = await openDataFolder(path);
    expect(readdirSync(path).filter((name) => name.startsWith('postgres'))).toEqual([]);
    folder.release();
  });
});

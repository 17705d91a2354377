import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openDataFolder, type DataFolder } from '../../../src/sandbox/embedded/dataFolder';
import { claimPort } from '../../../src/sandbox/embedded/freePort';
import { untilHttpAnswers, untilReady } from '../../../src/sandbox/embedded/readiness';
import { Supervisor, type PartSpec } from '../../../src/sandbox/embedded/supervisor';
import { isThere, scratchFolder } from './scratch';

/** A small server that says its pid; `before` runs first. */
function pidServer(name: string, port: number, before = ''): PartSpec {
  const serve = `require('http').createServer((_, r) => r.end(String(process.pid))).listen(${port}, '127.0.0.1')`;
  return {
    name,
    command: process.execPath,
    args: ['-e', `${before};${serve}`],
    ready: (signal) => untilHttpAnswers(`http://127.0.0.1:${port}/`, signal),
  };
}

async function pidAt(port: number): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/`)).text());
}

function untilGone(pid: number): Promise<void> {
  return untilReady(async () => {
    if (isThere(pid)) throw new Error(`${pid} is still there`);
  }, AbortSignal.timeout(20_000));
}

describe('the supervisor', () => {
  const scratch = scratchFolder();
  let folder: DataFolder;
  beforeAll(async () => (folder = await openDataFolder(scratch.path)));
  afterAll(() => {
    folder.release();
    scratch.remove();
  });

  it('R32: starts a part again that was killed, on the same port, and records its new pid', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: {} });
    const port = await claimPort();
    await supervisor.start(pidServer('api', port));
    for (let round = 0; round < 2; round += 1) {
      const pid = await pidAt(port);
      expect(supervisor.pids()).toEqual({ api: pid });
      const news = Promise.all([once(supervisor, 'died'), once(supervisor, 'restarted')]);
      process.kill(pid, 'SIGKILL');
      const [[died], [restarted]] = (await news) as [[unknown], [unknown]];
      expect(died).toEqual({ name: 'api', pid, how: 'was killed by SIGKILL' });
      expect(restarted).toEqual({ name: 'api', pid: await pidAt(port) });
      expect(JSON.parse(readFileSync(folder.file('children.json'), 'utf8'))).toMatchObject([
        { name: 'api', pid: await pidAt(port) },
      ]);
    }
    await supervisor.stop();
  });

  it('stops in reverse order, kills what ignores it, and leaves no process behind', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: {}, stopGraceMs: 300 });
    const [first, second, third] = [await claimPort(), await claimPort(), await claimPort()];
    await supervisor.start(pidServer('first', first));
    await supervisor.start(
      pidServer('second', second, "process.on('SIGTERM', () => {})"),
      pidServer('third', third),
    );
    const pids = Object.values(supervisor.pids());
    const stopped: string[] = [];
    const died: unknown[] = [];
    supervisor.on('stopped', ({ name }) => stopped.push(name));
    supervisor.on('died', (what) => died.push(what));
    await supervisor.stop();
    expect(stopped).toEqual(['third', 'second', 'first']);
    expect(died).toEqual([]);
    expect(pids.map((pid) => isThere(pid!))).toEqual([false, false, false]);
    expect(JSON.parse(readFileSync(folder.file('children.json'), 'utf8'))).toEqual([]);
  });

  it('stops a part that is not ready yet', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: {} });
    const starting = supervisor.start({ ...pidServer('slow', await claimPort()), ready: waitForever });
    const outcome = expect(starting).rejects.toThrow('slow');
    const [{ pid }] = (await once(supervisor, 'started')) as [{ pid: number }];
    await supervisor.stop();
    await outcome;
    expect(isThere(pid)).toBe(false);
    await expect(supervisor.start(pidServer('late', await claimPort()))).rejects.toThrow('being stopped');
  });

  it('tells how a part failed to start, with the end of its log, and leaves nothing of it', async () => {
    const supervisor = new Supervisor({ folder, baseEnv: {}, readyTimeoutMs: 300 });
    const failing = pidServer(
      'failing',
      await claimPort(),
      "console.error('no such table'); process.exit(7)",
    );
    await expect(supervisor.start(failing)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      detail: expect.stringMatching(/failing ended with exit code 7 before it was ready[^]*no such table/),
    });
    const absent = { ...failing, name: 'absent', command: '/nowhere/at-all' };
    await expect(supervisor.start(absent)).rejects.toThrow('absent could not be started');
    const hanging = { ...pidServer('hanging', await claimPort()), ready: waitForever };
    await expect(supervisor.start(hanging)).rejects.toThrow('hanging did not become ready');
    expect(supervisor.pids()).toEqual({ failing: null, absent: null, hanging: null });
    await supervisor.stop();
  });
});

describe('a supervising process', () => {
  const scratch = scratchFolder();
  afterAll(() => scratch.remove());

  /** In a process group of its own, as a terminal gives to a command. */
  async function superviseInOwnGroup() {
    const [ours, foreign] = [await claimPort(), await claimPort()];
    const program = [
      join(__dirname, 'typescriptHook.cjs'),
      join(__dirname, 'supervisingProgram.ts'),
    ] as const;
    const child = spawn(process.execPath, ['-r', ...program, scratch.path, String(ours), String(foreign)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const told: { event: string; name?: string; pids?: Record<'ours' | 'foreign', number> }[] = [];
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => told.push(JSON.parse(line)));
    await once(lines, 'line');
    return { child, lines, told, pids: told[0]!.pids! };
  }

  it('takes Ctrl-C, which reaches its parts at the same time, for a stop and not for deaths', async () => {
    const { child, lines, told, pids } = await superviseInOwnGroup();
    const closed = once(lines, 'close');
    process.kill(-child.pid!, 'SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    await closed;
    expect(code).toBe(0);
    expect(told.slice(1)).toEqual([
      { event: 'stopped', name: 'ours' },
      { event: 'stopped', name: 'foreign' },
    ]);
    expect([isThere(pids.ours), isThere(pids.foreign)]).toEqual([false, false]);
  });

  it('when killed, takes our own processes with it, and the next one on its folder stops the others', async () => {
    const { child, pids } = await superviseInOwnGroup();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await untilGone(pids.ours);
    expect(isThere(pids.foreign)).toBe(true);
    const folder = await openDataFolder(scratch.path);
    expect(folder.stoppedLeftovers).toMatchObject([{ name: 'foreign', pid: pids.foreign }]);
    expect(isThere(pids.foreign)).toBe(false);
    folder.release();
  });
});

function waitForever(signal: AbortSignal): Promise<never> {
  return new Promise((_settle, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error)));
}

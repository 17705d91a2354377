import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { supervisedVariable } from '../../sandbox/embedded/exitWhenParentDies';
import { cliEntry } from '../version';
import type { BareNews, BareWorkerSettings } from './bare/contract';

export interface WorkerProcess {
  readonly pid: number;
  /** When the process was asked for, ms since the epoch. */
  readonly spawnedAt: number;
  /** Resolves when the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Countersign's own worker, as `countersign worker` runs it. Its log says when it polls. */
export async function startCountersignWorker(env: Readonly<Record<string, string>>): Promise<WorkerProcess> {
  const spawnedAt = Date.now();
  const child = spawn(process.execPath, [cliEntry, 'worker'], {
    // Standard input stays open as long as the bench lives, so that no worker outlives it.
    env: { ...env, LOG_LEVEL: 'info', [supervisedVariable]: String(process.pid) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  const lines = createInterface(child.stdout);
  const polls = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.includes('"worker polls"')) resolve();
    });
  });
  return ready(child, spawnedAt, polls);
}

/** The bare worker. `proposed` hears the id of each refund that asks for its decision. */
export async function startBareWorker(
  settings: BareWorkerSettings,
  env: Readonly<Record<string, string>>,
  proposed: (id: string) => void,
): Promise<WorkerProcess> {
  const spawnedAt = Date.now();
  const child = fork(require.resolve('./bare/worker'), [JSON.stringify(settings)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const polls = new Promise<void>((resolve) => {
    child.on('message', (news: BareNews) => {
      if ('polls' in news) resolve();
      else proposed(news.proposed);
    });
  });
  return ready(child, spawnedAt, polls);
}

async function ready(child: ChildProcess, spawnedAt: number, polls: Promise<void>): Promise<WorkerProcess> {
  const gone = once(child, 'exit');
  const died = gone.then(([code, signal]) => {
    throw new Error(`a worker ended at once (${String(signal ?? code)})`);
  });
  await Promise.race([polls, died]);
  const { pid } = child;
  if (pid === undefined) throw new Error('a worker could not be started');
  // Its end is awaited below, where it is wanted.
  died.catch(() => undefined);
  return {
    pid,
    spawnedAt,
    end: async (signal) => {
      child.kill(signal);
      await gone;
    },
  };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { cliEntry } from '../../src/main/version';
import { fromSetup } from './shared';

let started = 0;

export interface TestProcess {
  readonly pid: number;
  readonly log: string;
  readonly alive: () => boolean;
  /** SIGTERM lets it finish; SIGKILL does not. Resolves when it is gone. */
  kill(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** One of our own commands as a real process; `ready` is asked until it is true. */
export async function startProcess(
  command: string[],
  env: Record<string, string>,
  ready: () => Promise<boolean>,
): Promise<TestProcess> {
  started += 1;
  const log = join(fromSetup('FOLDER'), `${command[0] ?? 'process'}-${process.pid}-${started}.log`);
  const out = openSync(log, 'a');
  const child = spawn(process.execPath, [cliEntry, ...command], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      LOG_LEVEL: 'info',
      COUNTERSIGN_SUPERVISED: '1',
      ...env,
    },
    // An open standard input is how the process notices that this one has died.
    stdio: ['pipe', out, out],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`could not start ${command.join(' ')}`);
  const alive = () => child.exitCode === null && child.signalCode === null;
  await until(async () => {
    if (!alive()) throw new Error(`${command.join(' ')} ended at once; its log is ${log}`);
    return ready();
  });
  return { pid, log, alive, kill: (signal = 'SIGTERM') => end(child, signal) };
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** Asks again every few milliseconds until the answer is true; fails after `limitMs`. */
export async function until(question: () => Promise<boolean>, limitMs = 30_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await question())) {
    if (Date.now() > deadline) throw new Error(`still not so after ${limitMs} ms: ${question.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const fileExists = (path: string) => async () => existsSync(path);

export async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

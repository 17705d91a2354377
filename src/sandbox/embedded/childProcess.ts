import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readSync, fstatSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { supervisedVariable } from './exitWhenParentDies';
import type { ChildRecord } from './leftovers';
import type { PartSpec } from './partSpec';

export interface Surroundings {
  readonly logs: string;
  readonly children: ChildRecord;
  readonly baseEnv: Readonly<NodeJS.ProcessEnv>;
}

export interface StartedChild {
  readonly pid: number;
  /** Settles with a line like "ended with exit code 1" or "was killed by SIGKILL". */
  readonly ended: Promise<string>;
  /** Aborts when it has ended. */
  readonly endedSignal: AbortSignal;
  kill(signal: NodeJS.Signals): void;
  /** The end of what it has written since it was started. */
  lastLines(): string;
}

/** A log that has grown past this is set aside when its part starts. */
const setAsideBytes = 20 * 1024 * 1024;
const tailBytes = 4_096;

/** Starts a part and writes its pid to the record before anything else can happen. */
export async function startChild(spec: PartSpec, surroundings: Surroundings): Promise<StartedChild> {
  const logPath = join(surroundings.logs, `${spec.name}.log`);
  if ((statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > setAsideBytes)
    renameSync(logPath, `${logPath}.1`);
  const log = openSync(logPath, 'a', 0o600);
  const directories: number[] = [];
  try {
    const logStart = fstatSync(log).size;
    for (const directory of spec.openDirectories ?? []) directories.push(openSync(directory, 'r'));
    const child = spawn(spec.command, spec.args, {
      env: {
        ...(spec.withoutBaseEnv === true ? {} : surroundings.baseEnv),
        ...spec.env,
        [supervisedVariable]: String(process.pid),
      },
      // Standard input stays open as long as we live: by its end our own processes notice our death.
      stdio: ['pipe', log, log, ...directories],
      ...spec.runAs,
    });
    if (child.pid !== undefined)
      surroundings.children.add(spec.name, child.pid, spec.stopSignal ?? 'SIGTERM');
    return await follow(child, surroundings.children, () => readTail(logPath, logStart));
  } finally {
    closeSync(log);
    directories.forEach(closeSync);
  }
}

async function follow(
  child: ChildProcess,
  record: ChildRecord,
  lastLines: () => string,
): Promise<StartedChild> {
  child.stdin?.on('error', () => undefined);
  const end = new AbortController();
  const ended = new Promise<string>((settle) => {
    child.once('exit', (code, signal) => {
      if (child.pid !== undefined) record.remove(child.pid);
      settle(signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`);
      end.abort(new Error('the process has ended'));
    });
  });
  await new Promise<void>((spawned, failed) => {
    child.once('spawn', spawned);
    child.once('error', failed);
  });
  return {
    pid: child.pid!,
    ended,
    endedSignal: end.signal,
    kill: (signal) => void child.kill(signal),
    lastLines,
  };
}

function readTail(path: string, from: number): string {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const start = Math.max(from, size - tailBytes);
    const buffer = Buffer.alloc(Math.max(0, size - start));
    readSync(file, buffer, 0, buffer.length, start);
    return buffer.toString('utf8').trimEnd();
  } finally {
    closeSync(file);
  }
}

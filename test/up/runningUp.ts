import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpReport } from '../../src/main/up';
import { cliEntry } from '../../src/main/version';
import { identifyProcess } from '../../src/sandbox/embedded/processIdentity';
import { fromSetup } from '../support/shared';

export interface Up {
  readonly child: ChildProcess;
  readonly report: UpReport;
  /** What it printed so far. */
  readonly output: () => string;
  readonly current: () => UpReport;
  /** Resolves with the exit code when it and all it started are gone. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function scratch(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'countersign-up-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** `countersign up --json` as a person starts it, in a process group of its own as a terminal would give it. */
export async function startUp(
  dataDir: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Up> {
  const child = spawn(process.execPath, [cliEntry, 'up', '--json', ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_CLI_PATH: fromSetup('TEMPORAL_CLI'),
      COUNTERSIGN_DATA_DIR: dataDir,
      ...env,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const line = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
    });
    child.once('exit', (code) => reject(new Error(`up ended with ${code}: ${errors}${output}`)));
  });
  const report = JSON.parse(await line) as UpReport;
  return {
    child,
    report,
    output: () => output,
    current: () => JSON.parse(readFileSync(join(dataDir, 'up.json'), 'utf8')) as UpReport,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      return child.exitCode;
    },
  };
}

export function pidsOf({ pids }: UpReport): number[] {
  const { workers, ...parts } = pids;
  return [...Object.values(parts), ...workers].filter((pid): pid is number => pid !== null);
}

export function isAlive(pid: number): boolean {
  return identifyProcess(pid).startedAt !== null;
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/**
 * Names one process for good. A pid alone is handed out again after its process has ended, so what says
 * when the process started is kept beside it.
 */
export const processIdentitySchema = z.strictObject({
  pid: z.number().int().positive(),
  /** Opaque; compared for equality only. Null where the system doesn't tell, and then never matches. */
  startedAt: z.string().nullable(),
});
export type ProcessIdentity = z.infer<typeof processIdentitySchema>;

let bootId: string | undefined;

/** Start ticks count from boot, so they need the boot's own id beside them. */
function currentBoot(): string {
  try {
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    bootId = '';
  }
  return bootId;
}

/** When the process started, as an opaque text; undefined when there is no such process (a zombie is none). */
function startOf(pid: number): string | null | undefined {
  if (process.platform === 'linux') {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The command's name may hold spaces and brackets; the fields after it are plain.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${currentBoot()}:${fields[19]}`;
    } catch {
      return undefined;
    }
  }
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return signalReaches(pid) ? null : undefined;
  }
}

function signalReaches(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, startedAt: startOf(pid) ?? null };
}

/** True only when that very process is still there, not another one that was given its pid. */
export function isSameProcessRunning(identity: ProcessIdentity): boolean {
  return identity.startedAt !== null && startOf(identity.pid) === identity.startedAt;
}

/**
 * Asks a process, which need not be our child, to stop, and kills it after `graceMs`. Resolves when it is
 * gone. Another process with the same pid is never signalled.
 */
export async function stopProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  if (!signalIfSame(identity, signal)) return;
  if (await isGoneWithin(identity, graceMs)) return;
  if (!signalIfSame(identity, 'SIGKILL')) return;
  if (!(await isGoneWithin(identity, 10_000))) {
    throw new Error(`process ${identity.pid} is still there after SIGKILL`);
  }
}

function signalIfSame(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isSameProcessRunning(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** The end of a process that isn't our child raises no event, so it is looked for. */
async function isGoneWithin(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isSameProcessRunning(identity)) {
    if (Date.now() >= deadline) return false;
    await pause(25);
  }
  return true;
}

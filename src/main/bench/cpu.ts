import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time for programs in hundredths of a second, whatever the kernel's own clock. */
const tickMs = 10;

interface ProcessTimes {
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended and were waited for. */
  readonly reapedMs: number;
}

/** Processor time (user and system, ms) of a process so far; null where the system does not tell. */
export function cpuOf(pid: number | null): number | null {
  return pid === null ? null : (timesOf(pid)?.ownMs ?? null);
}

/** The same of a process and all its children, for servers that work in children. */
export function cpuOfFamily(pid: number | null): number | null {
  const head = pid === null ? undefined : timesOf(pid);
  if (!head) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => timesOf(Number(name)))
    .filter((times) => times?.parent === pid);
  return children.reduce((sum, child) => sum + (child?.ownMs ?? 0), head.ownMs + head.reapedMs);
}

function timesOf(pid: number): ProcessTimes | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, which may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    parent: field(4),
    ownMs: (field(14) + field(15)) * tickMs,
    reapedMs: (field(16) + field(17)) * tickMs,
  };
}

import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '../../domain/errors';
import { identifyProcess, isSameProcessRunning, processIdentitySchema } from './processIdentity';
import { readStateFile } from './stateFile';
import { unfinishedName } from './unfinished';

/** A healer that was killed in the middle keeps others out no longer than this. */
const healingMs = 10_000;

/**
 * Takes the exclusive lock of a folder, or fails at once when a living process holds it. The lock of a dead
 * process is replaced, also when its pid belongs to somebody else by now.
 *
 * @returns a function that gives the lock back
 * @throws CountersignError dependency_unavailable, with the holder's pid
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const lock = join(folder, 'lock');
  const content = JSON.stringify(identifyProcess(process.pid));
  for (;;) {
    if (takeIfFree(lock, content)) return () => releaseOwn(lock, content);
    const holder = readStateFile(lock, processIdentitySchema);
    if (holder !== undefined && isSameProcessRunning(holder)) throw lockedBy(holder.pid, folder);
    if (!removeStaleLock(folder, lock)) await pause(20);
  }
}

/** A link is made whole or not at all, so nobody ever reads a lock without its content. */
function takeIfFree(lock: string, content: string): boolean {
  const own = unfinishedName(lock);
  try {
    writeFileSync(own, content, { mode: 0o600 });
    linkSync(own, lock);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // ENOENT: whoever has the lock has just cleaned the folder.
    if (code === 'EEXIST' || (code === 'ENOENT' && existsSync(dirname(lock)))) return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Of several processes that found the same stale lock, only the one that makes the directory removes it,
 * after looking again: otherwise the second would remove the lock that the first has just taken.
 */
function removeStaleLock(folder: string, lock: string): boolean {
  const healing = join(folder, 'lock.heal');
  try {
    mkdirSync(healing);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const since = statSync(healing, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > healingMs)
      rmSync(healing, { recursive: true, force: true });
    return false;
  }
  try {
    const holder = readStateFile(lock, processIdentitySchema);
    if (holder === undefined || !isSameProcessRunning(holder)) rmSync(lock, { force: true });
    return true;
  } finally {
    rmdirSync(healing);
  }
}

function releaseOwn(lock: string, content: string): void {
  try {
    if (readFileSync(lock, 'utf8') === content) unlinkSync(lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function lockedBy(pid: number, folder: string): CountersignError {
  return new CountersignError(
    'dependency_unavailable',
    `The data folder ${folder} is in use by process ${pid}. Use what is running there, stop it (Ctrl-C in its ` +
      `terminal, or: kill ${pid}), or name another folder with COUNTERSIGN_DATA_DIR.`,
    { lockedBy: pid },
  );
}

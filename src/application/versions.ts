import { CountersignError } from '../domain/errors';

const mostAttempts = 20;

/** Somebody else was first. `version`: the one that was read. */
export function versionConflict(version: number): CountersignError {
  return new CountersignError('version_conflict', undefined, { version });
}

/**
 * Reads and writes again where another writer was first (R34). Whoever named the version that he has seen is told of it
 * instead.
 * @param write reads, and throws `versionConflict` where what it has read has changed when it writes
 * @throws CountersignError version_conflict, and what `write` throws
 */
export async function onNewestVersion<T>(
  expectedVersion: number | undefined,
  write: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      const lost = error instanceof CountersignError && error.code === 'version_conflict';
      if (!lost || expectedVersion !== undefined || attempt === mostAttempts) throw error;
    }
  }
}

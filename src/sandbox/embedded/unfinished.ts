import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const suffix = '.unfinished';

/** Nothing here takes longer to build. */
const abandonedAfterMs = 60 * 60 * 1000;

/** What takes time to build is built under this name beside its place, and renamed when it is whole. */
export function unfinishedName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}${suffix}`;
}

/**
 * Removes what was never finished. In a folder that others use too, only what is old enough to be sure that
 * nobody works on it.
 */
export function removeUnfinished(folder: string, whose: 'ours alone' | 'shared'): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(suffix)) continue;
    const path = join(folder, name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (whose === 'ours alone' || Date.now() - changed > abandonedAfterMs) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

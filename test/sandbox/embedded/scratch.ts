import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '../../../src/sandbox/embedded/processIdentity';
import { locateTemporalCli, type TemporalCli } from '../../../src/sandbox/embedded/temporalCli';

/** A folder that only its owner can enter, as a careful person makes one; gone after the test. */
export function scratchFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'countersign-embedded-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function userCache(): string {
  return process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
}

/** The real one, from the user's own cache where it is there. */
export function temporalCliForTests(dataFolder: string): Promise<TemporalCli> {
  return locateTemporalCli({ env: process.env, userCache: userCache(), dataFolder });
}

export function isThere(pid: number): boolean {
  return identifyProcess(pid).startedAt !== null;
}

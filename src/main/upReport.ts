import { join, resolve } from 'node:path';
import { z } from 'zod';
import { readStateFile } from '../sandbox/embedded/stateFile';
import type { Settings } from './settings';

const pid = z.number().int().nullable();

/** The part of `<dataDir>/up.json` that other commands read. */
const upReport = z.object({
  apiUrl: z.string(),
  temporalAddress: z.string(),
  databaseUrl: z.string(),
  providerUrl: z.string(),
  providerKey: z.string(),
  pids: z.object({ temporal: pid, postgres: pid, provider: pid, api: pid, workers: z.array(pid) }),
  tokens: z.record(z.string(), z.record(z.string(), z.string())),
});
export type KnownUp = z.infer<typeof upReport>;

export function upReportPath(settings: Settings): string {
  return join(resolve(settings.COUNTERSIGN_DATA_DIR), 'up.json');
}

/** What the last `countersign up` on this data folder wrote, whether it still runs or not. */
export function readUpReport(settings: Settings): KnownUp | undefined {
  return readStateFile(upReportPath(settings), upReport);
}

/** Whether any process of that `up` lives. */
export function isRunning({ pids }: KnownUp): boolean {
  const { workers, ...parts } = pids;
  return [...Object.values(parts), ...workers].some((id) => id !== null && lives(id));
}

function lives(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The sandbox provider's own admin token, as the data folder keeps it. */
export function embeddedAdminToken(settings: Settings): string | undefined {
  const path = join(resolve(settings.COUNTERSIGN_DATA_DIR), 'secrets.json');
  return readStateFile(path, z.looseObject({ 'provider-admin': z.string() }))?.['provider-admin'];
}

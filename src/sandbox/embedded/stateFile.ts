import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { z } from 'zod';
import { unfinishedName } from './unfinished';

/**
 * Small JSON files that must never be seen half written: a new file takes the old one's place in one step.
 * Writing is synchronous, so that a child's pid is on disk before anything else happens in this process.
 */
export function writeStateFile(path: string, value: unknown): void {
  const unfinished = unfinishedName(path);
  try {
    writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** What the file holds; undefined when it isn't there or holds something else, as after a lost power supply. */
export function readStateFile<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): z.infer<Schema> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

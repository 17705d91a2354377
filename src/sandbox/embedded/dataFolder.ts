import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { lockFolder } from './folderLock';
import { ChildRecord, type RecordedChild } from './leftovers';
import { readStateFile, writeStateFile } from './stateFile';
import { removeUnfinished } from './unfinished';

const portsSchema = z.record(z.string(), z.number().int().min(1).max(65535));
const secretsSchema = z.record(z.string(), z.string().min(1));

/** How long a leftover of an earlier run may take to stop cleanly before it is killed. */
const leftoverGraceMs = 15_000;

export interface DataFolder {
  /** Absolute. */
  readonly path: string;
  readonly logs: string;
  readonly children: ChildRecord;
  /** What a killed earlier run had left running, and was stopped just now. */
  readonly stoppedLeftovers: readonly RecordedChild[];
  file(...names: string[]): string;
  /** The ports that the last run used, by the name of what listens there. */
  rememberedPorts(): Readonly<Record<string, number>>;
  rememberPorts(ports: Readonly<Record<string, number>>): void;
  /** A random secret of that name, made when first asked for and the same ever after. */
  secret(name: string): string;
  /** Gives the lock back. */
  release(): void;
}

/**
 * Opens the folder that holds everything of one embedded set-up, making it when needed. From then on this
 * process alone uses it; nothing of an earlier run is left running in it.
 *
 * @throws CountersignError dependency_unavailable when a living process uses the folder
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const release = await lockFolder(path);
  try {
    const children = new ChildRecord(join(path, 'children.json'));
    const stoppedLeftovers = await children.stopLeftovers(leftoverGraceMs);
    removeUnfinished(path, 'ours alone');
    keepOutOfVersionControl(path);
    const logs = join(path, 'logs');
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    return {
      path,
      logs,
      children,
      stoppedLeftovers,
      file: (...names) => join(path, ...names),
      rememberedPorts: () => readStateFile(join(path, 'ports.json'), portsSchema) ?? {},
      rememberPorts: (ports) => writeStateFile(join(path, 'ports.json'), ports),
      secret: (name) => secretOf(join(path, 'secrets.json'), name),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The folder holds secrets and is often made inside somebody's checkout. */
function keepOutOfVersionControl(path: string): void {
  const ignore = join(path, '.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, '*\n');
}

function secretOf(path: string, name: string): string {
  const secrets = readStateFile(path, secretsSchema) ?? {};
  const known = secrets[name];
  if (known !== undefined) return known;
  const made = randomBytes(24).toString('base64url');
  writeStateFile(path, { ...secrets, [name]: made });
  return made;
}

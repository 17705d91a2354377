import { statSync } from 'node:fs';
import { CountersignError } from '../../domain/errors';
import { runCommand } from './commandRun';

export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
}

/** The first that exists is used. Nothing is added to the system: `nobody` is there on every one. */
const candidates = ['postgres', 'nobody'];

/**
 * PostgreSQL refuses to run as root, so for root it runs as another user: the owner of the database files
 * when there are some, else one of the candidates. Null when we aren't root and it can run as ourselves.
 */
export async function postgresUser(
  databaseFiles: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<PostgresUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(databaseFiles, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of candidates) {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => idOf(flag, name, env)));
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new CountersignError(
    'dependency_unavailable',
    `PostgreSQL does not run as root, and there is no user ${candidates.join(' or ')} to run it as. ` +
      'Start Countersign as another user, or set DATABASE_URL to a PostgreSQL that runs already.',
  );
}

async function idOf(
  flag: string,
  name: string,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<number | undefined> {
  const { ok, output } = await runCommand('id', [flag, name], { env, timeoutMs: 10_000 });
  return ok ? Number(output.trim()) : undefined;
}

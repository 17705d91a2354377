import {
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../domain/errors';
import { runCommand } from './commandRun';
import type { PostgresBinaries } from './postgresBinaries';
import type { PostgresUser } from './postgresUser';
import { identifyProcess, stopProcess } from './processIdentity';
import { unfinishedName } from './unfinished';

/** Larger than any system's highest pid, so nobody has it. */
const nobodysPid = 99_999_999;

/** A directory as a PostgreSQL process names it, and how it gets to it. */
export interface ReachableDirectory {
  readonly path: string;
  /** To hand down as descriptor 3. */
  readonly handDown: readonly string[];
}

/**
 * The data folder is closed to everybody but its owner. When that is root, PostgreSQL runs as another user
 * and couldn't walk down to its files; so we open the directory for it, and it goes by that open descriptor.
 */
export function reachable(directory: string, user: PostgresUser | null): ReachableDirectory {
  if (user === null) return { path: directory, handDown: [] };
  return { path: '/proc/self/fd/3', handDown: [directory] };
}

export interface ClusterOptions {
  readonly directory: string;
  readonly binaries: PostgresBinaries;
  readonly user: PostgresUser | null;
  readonly superuserPassword: string;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Makes the database files unless they are there. Killed in the middle, it leaves nothing that counts. */
export async function ensureCluster(options: ClusterOptions): Promise<void> {
  const { directory, user, env } = options;
  if (statSync(join(directory, 'PG_VERSION'), { throwIfNoEntry: false }) !== undefined) return;
  const building = unfinishedName(directory);
  mkdirSync(building, { mode: 0o700 });
  const password = join(building, 'password');
  writeFileSync(password, `${options.superuserPassword}\n`, { mode: 0o600 });
  if (user !== null) [building, password].forEach((path) => chownSync(path, user.uid, user.gid));
  const at = reachable(building, user);
  const handle = at.handDown.length > 0 ? openSync(building, 'r') : undefined;
  try {
    const result = await runCommand(
      options.binaries.initdb,
      [
        ...['--pgdata', `${at.path}/data`, '--username', 'postgres', '--pwfile', `${at.path}/password`],
        // Sorts and compares the same on every platform, and knows all of Unicode's letters.
        ...[
          '--encoding',
          'UTF8',
          '--locale',
          'C',
          '--locale-provider',
          'builtin',
          '--builtin-locale',
          'C.UTF-8',
        ],
        ...['--auth', 'scram-sha-256', '--no-instructions'],
      ],
      {
        env,
        timeoutMs: 120_000,
        runAs: user ?? undefined,
        ...(handle === undefined ? {} : { directory: handle }),
      },
    );
    if (!result.ok) throw new CountersignError('dependency_unavailable', `initdb failed: ${result.failure}`);
    rmSync(directory, { recursive: true, force: true });
    renameSync(join(building, 'data'), directory);
  } finally {
    if (handle !== undefined) closeSync(handle);
    rmSync(building, { recursive: true, force: true });
  }
}

/**
 * Before a start: a server of these files that nobody recorded is shut down, and a `postmaster.pid` whose pid
 * belongs to some other program by now is made to name nobody. The rest of that file stays, since by it
 * PostgreSQL sees whether processes of the dead server still use its memory.
 */
export async function clearStalePostmaster(directory: string): Promise<void> {
  const path = join(directory, 'postmaster.pid');
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  const pid = Number(content.split('\n', 1)[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) {
    rmSync(path, { force: true });
    return;
  }
  const identity = identifyProcess(pid);
  if (identity.startedAt === null) return;
  if (await worksIn(pid, directory)) await stopProcess(identity, 'SIGINT', 15_000);
  else writeFileSync(path, content.replace(/^\d+/, String(nobodysPid)));
}

async function worksIn(pid: number, directory: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const { output } = await runCommand('ps', ['-o', 'command=', '-p', String(pid)], {
      env: {},
      timeoutMs: 10_000,
    });
    return output.includes('postgres') && output.includes(directory);
  }
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === directory;
  } catch {
    return false;
  }
}

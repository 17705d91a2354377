import { Client } from 'pg';
import type { DataFolder } from './dataFolder';
import type { PartSpec } from './partSpec';
import { postgresBinaries, rootCopyFolder } from './postgresBinaries';
import { clearStalePostmaster, ensureCluster, reachable } from './postgresCluster';
import { postgresUser } from './postgresUser';
import { untilReady } from './readiness';

export interface PostgresServerOptions {
  readonly folder: Pick<DataFolder, 'path' | 'secret' | 'file'>;
  readonly port: number;
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Further server settings, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where root puts a copy of the binaries when another user can't reach them. */
  readonly binariesCopyFolder?: string;
}

export interface PostgresServer {
  readonly part: PartSpec;
  /** The superuser's, for `ensureRole` and `ensureDatabase`; never for the application. */
  readonly adminUrl: string;
}

/** Everything that is acknowledged is on disk; those are the server's defaults, said so that nobody wonders. */
const durable = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/**
 * Makes the database files when needed and says how to run the server on them. As root, the server runs as
 * another user; the data folder stays closed to that user.
 */
export async function preparePostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const { folder, port } = options;
  const directory = folder.file('postgres');
  const env = { ...options.env, LC_ALL: 'C', TZ: 'UTC' };
  const user = await postgresUser(directory, env);
  const copyFolder = user === null ? folder.path : (options.binariesCopyFolder ?? rootCopyFolder);
  const binaries = await postgresBinaries({ user, copyFolder, env });
  const superuserPassword = folder.secret('postgres');
  await ensureCluster({ directory, binaries, user, superuserPassword, env });

  const adminUrl = databaseUrl({ user: 'postgres', password: superuserPassword, port, database: 'postgres' });
  const at = reachable(directory, user);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...durable,
    ...options.settings,
  };
  return {
    adminUrl,
    part: {
      name: 'postgres',
      command: binaries.postgres,
      args: [
        ...['-D', at.path, '-p', String(port)],
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      env: { LC_ALL: 'C', TZ: 'UTC' },
      withoutBaseEnv: true,
      stopSignal: 'SIGINT',
      ...(user === null ? {} : { runAs: user }),
      openDirectories: at.handDown,
      prepare: () => clearStalePostmaster(directory),
      ready: (signal) => untilPostgresServes(adminUrl, signal),
    },
  };
}

/** Also for an external server, to see that it is there. */
export async function untilPostgresServes(url: string, signal: AbortSignal): Promise<void> {
  await untilReady(async () => {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    // The server may go down between two answers; the query then fails too.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
    } finally {
      await client.end();
    }
  }, signal);
}

export interface DatabaseLogin {
  readonly user: string;
  readonly password: string;
  readonly port: number;
  readonly database: string;
}

export function databaseUrl(login: DatabaseLogin): string {
  const [user, password, database] = [login.user, login.password, login.database].map(encodeURIComponent);
  return `postgresql://${user}:${password}@127.0.0.1:${login.port}/${database}`;
}

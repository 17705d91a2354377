import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { packageRoot } from '../version';
import { finding, inTurn, patienceMs, Wrong, type Finding } from './finding';

/** PostgreSQL: reachable, at our schema, and with a login that row-level security really binds. */
export async function checkDatabase(url: string, whenDown: string): Promise<Finding[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  client.on('error', () => undefined);
  try {
    return await inTurn(
      () => finding('database', whenDown, () => reach(client, url)),
      () => finding('database login', whenDown, () => checkLogin(client)),
      () => finding('migrations', 'countersign migrate', () => checkMigrations(client)),
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function reach(client: Client, url: string): Promise<string> {
  await client.connect();
  const { rows } = await client.query<{ server_version: string }>('show server_version');
  const { host, pathname } = new URL(url);
  return `PostgreSQL ${rows[0]?.server_version ?? ''} at ${host}${pathname}`;
}

/** A superuser, a login that bypasses row-level security, or an owner of tables would see every tenant. */
async function checkLogin(client: Client): Promise<string> {
  const { rows } = await client.query<{ login: string; unbound: boolean; owns: boolean; member: boolean }>(`
    select current_user as login, rolsuper or rolbypassrls as unbound,
      exists (select 1 from pg_class where relowner = pg_roles.oid and relkind in ('r', 'p')) as owns,
      exists (select 1 from pg_roles app where app.rolname = 'countersign_app' and pg_has_role(current_user, app.oid, 'member')) as member
    from pg_roles where rolname = current_user`);
  const [role] = rows;
  const fix = 'use a login that is only a member of countersign_app; docker/postgres/ shows how one is made';
  if (!role) throw new Wrong('the login is not to be found', fix);
  if (role.unbound)
    throw new Wrong(`${role.login} bypasses row-level security: tenants would not be kept apart`, fix);
  if (role.owns)
    throw new Wrong(`${role.login} owns tables: row-level security and missing grants do not bind it`, fix);
  if (!role.member) throw new Wrong(`${role.login} is not a member of countersign_app`, fix);
  return `${role.login} is bound by row-level security`;
}

async function checkMigrations(client: Client): Promise<string> {
  const fix = 'countersign migrate';
  const { rows: found } = await client.query<{ there: boolean; readable: boolean | null }>(
    `select to_regclass('public.runs') is not null as there,
       has_table_privilege(to_regclass('public.kysely_migration'), 'select') as readable`,
  );
  if (!found[0]?.there) throw new Wrong('the database has no schema yet', fix);
  if (!found[0].readable) return 'the schema is there; this login may not read which migrations were applied';
  const { rows } = await client.query<{ name: string }>('select name from public.kysely_migration');
  const applied = new Set(rows.map(({ name }) => name));
  const ours = migrationNames();
  const missing = ours.filter((name) => !applied.has(name));
  if (missing.length > 0) throw new Wrong(`not applied yet: ${missing.join(', ')}`, fix);
  const newer = [...applied].filter((name) => !ours.includes(name));
  if (newer.length > 0)
    throw new Wrong(
      `the database is newer than this version: ${newer.join(', ')}`,
      'update Countersign here',
    );
  return `up to date (${ours.at(-1) ?? 'none'})`;
}

/** Each migration is a file of its own, named as it is recorded. */
export function migrationNames(): string[] {
  const built = __dirname.startsWith(join(packageRoot, 'dist'));
  const folder = join(packageRoot, ...(built ? ['dist'] : []), 'src', 'adapters', 'postgres', 'migrations');
  return readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.(js|ts)$/.test(file))
    .map((file) => file.replace(/\.(js|ts)$/, ''))
    .sort();
}

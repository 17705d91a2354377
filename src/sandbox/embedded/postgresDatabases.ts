import { Client, escapeIdentifier, escapeLiteral } from 'pg';

export interface RoleWish {
  readonly name: string;
  /** A role without one can't log in; it exists to be granted things. */
  readonly password?: string;
  readonly memberOf?: readonly string[];
}

export interface DatabaseWish {
  readonly name: string;
  readonly owner: string;
  /** Who else may connect. Nobody does by default. */
  readonly mayConnect?: readonly string[];
}

/** Runs `work` on one connection, which is closed afterwards. */
export async function withConnection<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Makes the role or brings it to what is wished: no superuser, nothing it could create or bypass, and the
 * password as given. Memberships are added, never taken away.
 */
export async function ensureRole(admin: Client, role: RoleWish): Promise<void> {
  const name = escapeIdentifier(role.name);
  const login = role.password === undefined ? 'NOLOGIN' : `LOGIN PASSWORD ${escapeLiteral(role.password)}`;
  const attributes = `${login} NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS`;
  if (!(await exists(admin, 'select 1 from pg_roles where rolname = $1', role.name))) {
    await tolerating(['42710', '23505'], admin.query(`CREATE ROLE ${name}`));
  }
  await admin.query(`ALTER ROLE ${name} WITH ${attributes}`);
  for (const group of role.memberOf ?? []) await admin.query(`GRANT ${escapeIdentifier(group)} TO ${name}`);
}

/** Makes the database, owned by `owner`, and closes it to everybody who isn't named. */
export async function ensureDatabase(admin: Client, database: DatabaseWish): Promise<void> {
  const name = escapeIdentifier(database.name);
  const owner = escapeIdentifier(database.owner);
  if (!(await exists(admin, 'select 1 from pg_database where datname = $1', database.name))) {
    await tolerating(['42P04', '23505'], admin.query(`CREATE DATABASE ${name} OWNER ${owner}`));
  }
  await admin.query(`ALTER DATABASE ${name} OWNER TO ${owner}`);
  await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  for (const role of database.mayConnect ?? []) {
    await admin.query(`GRANT CONNECT ON DATABASE ${name} TO ${escapeIdentifier(role)}`);
  }
}

async function exists(admin: Client, query: string, name: string): Promise<boolean> {
  return ((await admin.query(query, [name])).rowCount ?? 0) > 0;
}

/** Another process may make the same thing in the same moment. */
async function tolerating(codes: readonly string[], statement: Promise<unknown>): Promise<void> {
  try {
    await statement;
  } catch (error) {
    if (!codes.includes((error as { code?: string }).code ?? '')) throw error;
  }
}

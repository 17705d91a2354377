import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { fromSetup, ownerUrlOf, passwords, templateDatabase, urlAs } from './shared';

export interface TestDatabase {
  /** The application's login: no superuser, owns nothing. */
  readonly url: string;
  readonly ownerUrl: string;
  /** The superuser's, to look at everything. */
  readonly adminUrl: string;
  drop(): Promise<void>;
}

/** A database of the suite's own, migrated and seeded, copied from the run's template in milliseconds. */
export async function createDatabase(): Promise<TestDatabase> {
  return create((name) => `create database ${name} template ${templateDatabase} owner countersign_owner`);
}

/** An empty one for the sandbox provider; `url` is its owner's. */
export async function createProviderDatabase(): Promise<TestDatabase> {
  const database = await create((name) => `create database ${name} owner provider_sandbox`);
  const name = new URL(database.url).pathname.slice(1);
  return { ...database, url: urlAs(database.adminUrl, 'provider_sandbox', passwords.provider, name) };
}

async function create(statement: (name: string) => string): Promise<TestDatabase> {
  const admin = fromSetup('PG_ADMIN_URL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withAdmin(admin, async (client) => {
    // Two copies of one template at once refuse each other; the lock makes them wait.
    await client.query('select pg_advisory_lock(7001)');
    await client.query(statement(name));
  });
  return {
    url: urlAs(admin, 'countersign', passwords.application, name),
    ownerUrl: ownerUrlOf(admin, name),
    adminUrl: urlAs(admin, new URL(admin).username, decodeURIComponent(new URL(admin).password), name),
    drop: () =>
      withAdmin(admin, async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

async function withAdmin(url: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Rows of one statement, as the superuser sees them. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

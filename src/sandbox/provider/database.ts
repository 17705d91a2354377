import { Kysely, Migrator, PostgresDialect } from 'kysely';
import { Pool, types } from 'pg';
import { migrations } from './migrations';
import type { ProviderTables } from './schema';

export type ProviderDatabase = Kysely<ProviderTables>;

const int8 = 20;
const numeric = 1700;

/** Sums and identifiers fit a double exactly here: every amount is bounded to twelve digits on entry. */
const numbersAsNumbers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
    if (oid === int8 || oid === numeric) return Number;
    return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid);
  },
};

/**
 * Opens the provider's database and brings it to the newest schema.
 * @throws when the database can't be reached or a migration fails
 */
export async function openProviderDatabase(
  databaseUrl: string,
  connections: number,
  onConnectionError: (error: Error) => void,
): Promise<ProviderDatabase> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: connections,
    types: numbersAsNumbers,
  });
  // A restarted PostgreSQL breaks connections; the pool replaces them, and nothing else must die of it. The pool
  // listens only to idle ones: one that breaks within a transaction would be an uncaught error.
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => client.on('error', onConnectionError));
  const db = new Kysely<ProviderTables>({ dialect: new PostgresDialect({ pool }) });
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest();
  if (error !== undefined) {
    await db.destroy();
    throw error instanceof Error
      ? error
      : new Error('The provider database could not be migrated.', { cause: error });
  }
  return db;
}

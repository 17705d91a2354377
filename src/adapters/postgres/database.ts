import { Kysely, PostgresDialect, sql } from 'kysely';
import { Pool, types } from 'pg';
import { CountersignError } from '../../domain/errors';
import type { Tables } from './tables';

// bigint columns hold minor units and counters: safe integers by the domain's own rule (R10).
types.setTypeParser(types.builtins.INT8, (text) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${text}`);
  return value;
});

export type Transaction = Kysely<Tables>;

export function isSqlState(error: unknown, state: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === state;
}

/** PostgreSQL as the application sees it: every statement runs inside one tenant's transaction. */
export class Database {
  private readonly kysely: Kysely<Tables>;
  private readonly pool: Pool;

  constructor(url: string, maxConnections = 10) {
    this.pool = new Pool({
      connectionString: url,
      max: maxConnections,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
    });
    // An idle connection that PostgreSQL drops is replaced on next use; without a listener it would end the process.
    this.pool.on('error', () => undefined);
    // One that breaks inside a transaction has failed its query already; the event itself must not end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: this.pool }) });
  }

  /** Runs `work` in one transaction that row-level security binds to `tenant`. */
  async inTenant<T>(tenant: string, work: (trx: Transaction) => Promise<T>): Promise<T> {
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(tenant)) throw new CountersignError('not_found');
    return this.transaction(`begin; set local countersign.tenant = '${tenant}'`, work);
  }

  /** As `inTenant`, for the memory tables: bound to one owner within the tenant as well. */
  async inOwner<T>(tenant: string, owner: string, work: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.inTenant(tenant, async (trx) => {
      await sql`select set_config('countersign.owner', ${owner}, true)`.execute(trx);
      return work(trx);
    });
  }

  /** For the few tables without a tenant scope: authentication, channel keys, the outbox. */
  async unscoped<T>(work: (trx: Transaction) => Promise<T>): Promise<T> {
    return work(this.kysely);
  }

  private async transaction<T>(begin: string, work: (trx: Transaction) => Promise<T>): Promise<T> {
    return this.kysely.connection().execute(async (connection) => {
      await sql.raw(begin).execute(connection);
      let result: T;
      try {
        result = await work(connection);
      } catch (error) {
        await sql
          .raw('rollback')
          .execute(connection)
          .catch(() => undefined);
        throw error;
      }
      await sql.raw('commit').execute(connection);
      return result;
    });
  }

  async ping(): Promise<string> {
    const { rows } = await this.pool.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown';
  }

  async close(): Promise<void> {
    await this.kysely.destroy();
  }
}

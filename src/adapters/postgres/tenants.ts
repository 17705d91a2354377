import { sql } from 'kysely';
import { starterPolicy } from '../../domain/policy/starter';
import type { TenantRecord } from '../../ports/directory';
import type { OwnSigningKey, OwnSigningKeys, Tenants } from '../../ports/tenants';
import type { Database } from './database';

const columns = ['id', 'name', 'active', 'version'] as const;

/** Over the owner's login; the application's has no grant for any of it. */
export class PostgresTenants implements Tenants {
  constructor(private readonly database: Database) {}

  async list(): Promise<TenantRecord[]> {
    return this.database.unscoped((db) => db.selectFrom('tenants').select(columns).orderBy('id').execute());
  }

  async create(id: string, name: string): Promise<boolean> {
    return this.database.inTenant(id, async (trx) => {
      const created = await trx
        .insertInto('tenants')
        .values({ id, name })
        .onConflict((oc) => oc.doNothing())
        .returning('id')
        .executeTakeFirst();
      const { version, document, cases } = starterPolicy;
      await sql`
        insert into policies (tenant, version, document, cases)
        select ${id}, ${version}, ${JSON.stringify(document)}::jsonb, ${JSON.stringify(cases)}::jsonb
        where not exists (select from policies where tenant = ${id})`.execute(trx);
      return created !== undefined;
    });
  }

  async setActive(id: string, active: boolean): Promise<TenantRecord | undefined> {
    return this.database.unscoped((db) =>
      db
        .updateTable('tenants')
        .set((eb) => ({ active, version: eb('version', '+', 1) }))
        .where('id', '=', id)
        .returning(columns)
        .executeTakeFirst(),
    );
  }
}

export class PostgresOwnSigningKeys implements OwnSigningKeys {
  constructor(private readonly database: Database) {}

  async list(): Promise<OwnSigningKey[]> {
    const rows = await this.database.unscoped((db) =>
      db
        .selectFrom('channel_keys')
        .select(['kid', 'created_at', 'revoked_at'])
        .where('tenant', 'is', null)
        .orderBy('created_at')
        .execute(),
    );
    return rows.map(keyOf);
  }

  async revoke(kid: string): Promise<OwnSigningKey | undefined> {
    const row = await this.database.unscoped((db) =>
      db
        .updateTable('channel_keys')
        .set({ revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` })
        .where('tenant', 'is', null)
        .where('kid', '=', kid)
        .returning(['kid', 'created_at', 'revoked_at'])
        .executeTakeFirst(),
    );
    return row && keyOf(row);
  }
}

function keyOf(row: { kid: string; created_at: Date; revoked_at: Date | null }): OwnSigningKey {
  const { kid, created_at: createdAt, revoked_at: revokedAt } = row;
  return { kid, createdAt: createdAt.getTime(), revokedAt: revokedAt?.getTime() ?? null };
}

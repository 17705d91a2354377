import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Authority } from '../../domain/approval/state';
import type { Authenticator, People, Principal } from '../../ports/people';
import type { Database, Transaction } from './database';

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export class PostgresAuthenticator implements Authenticator {
  constructor(private readonly database: Database) {}

  async authenticate(token: string): Promise<Principal | undefined> {
    const { rows } = await this.database.unscoped((db) =>
      sql<{
        tenant: string;
        id: string;
        kind: Principal['kind'];
        display_name: string;
        groups: string[];
        limit_major: string | null;
      }>`select * from authenticate(${tokenHash(token)})`.execute(db),
    );
    const row = rows[0];
    if (!row) return undefined;
    const { tenant, id, kind, groups } = row;
    return { tenant, id, kind, groups, limitMajor: row.limit_major, displayName: row.display_name };
  }
}

export class PostgresPeople implements People {
  constructor(private readonly trx: Transaction) {}

  async find(id: string): Promise<Authority | undefined> {
    const row = await this.trx
      .selectFrom('principals')
      .selectAll()
      .where('id', '=', id)
      .where('active', '=', true)
      .executeTakeFirst();
    return (
      row && {
        tenant: row.tenant,
        id: row.id,
        kind: row.kind,
        groups: row.groups,
        limitMajor: row.limit_major,
      }
    );
  }
}

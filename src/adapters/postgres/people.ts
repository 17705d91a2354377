import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { isTokenFormed } from '../../domain/access/apiToken';
import type { Authority } from '../../domain/approval/state';
import type { Authenticator, People, Principal } from '../../ports/people';
import type { Database, Transaction } from './database';

/** The row is found by this, so no byte of a token is ever compared with another one's. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export class PostgresAuthenticator implements Authenticator {
  constructor(private readonly database: Database) {}

  async authenticate(token: string): Promise<Principal | undefined> {
    if (!isTokenFormed(token)) return undefined;
    return this.database.unscoped(async (db) => {
      const { rows } = await sql<AuthenticatedRow>`select * from authenticate(${tokenHash(token)})`.execute(
        db,
      );
      const [row] = rows;
      if (!row) return undefined;
      if (!row.used_lately) await sql`select key_was_used(${row.key_id})`.execute(db);
      return principalOf(row);
    });
  }
}

/** Whoever a credential stands for, with the key that it comes from. */
export interface PrincipalRow {
  readonly tenant: string;
  readonly id: string;
  readonly kind: Principal['kind'];
  readonly display_name: string;
  readonly groups: string[];
  readonly limit_major: string | null;
  readonly key_id: string;
  readonly scopes: string[];
  readonly expires_at: Date | null;
}

interface AuthenticatedRow extends PrincipalRow {
  readonly used_lately: boolean;
}

export function principalOf(row: PrincipalRow): Principal {
  const { tenant, id, kind, groups, scopes } = row;
  return {
    tenant,
    id,
    kind,
    groups,
    limitMajor: row.limit_major,
    displayName: row.display_name,
    key: { id: row.key_id, scopes, expiresAt: row.expires_at?.getTime() ?? null },
  };
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

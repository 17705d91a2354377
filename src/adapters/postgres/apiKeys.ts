import { sql, type Selectable } from 'kysely';
import type { ApiKey, ApiKeys, KeyFilter, KeyState, NewApiKey } from '../../ports/keys';
import type { Transaction } from './database';
import { tokenHash } from './people';
import type { Tables } from './tables';

/** All but the hash, which the application may write and never read. */
const readable = [
  'id',
  'principal_id',
  'name',
  'scopes',
  'created_by',
  'created_at',
  'confirmed_by',
  'expires_at',
  'revoked_at',
  'replaced_by',
  'last_used_at',
] as const;
type Row = Pick<Selectable<Tables['api_keys']>, (typeof readable)[number]>;

export class PostgresApiKeys implements ApiKeys {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async find(id: string): Promise<ApiKey | undefined> {
    const row = await this.trx
      .selectFrom('api_keys')
      .select(readable)
      .where('tenant', '=', this.tenant)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && keyOf(row);
  }

  async list({ person, state }: KeyFilter): Promise<ApiKey[]> {
    const rows = await this.trx
      .selectFrom('api_keys')
      .select(readable)
      .where('tenant', '=', this.tenant)
      .$if(person !== undefined, (q) => q.where('principal_id', '=', person ?? ''))
      .orderBy('principal_id')
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(keyOf).filter((key) => state === undefined || key.state === state);
  }

  async add(key: NewApiKey): Promise<ApiKey> {
    return keyOf(
      await this.trx
        .insertInto('api_keys')
        .values({
          token_hash: tokenHash(key.token),
          tenant: this.tenant,
          principal_id: key.person,
          id: key.id,
          name: key.name,
          scopes: [...key.scopes],
          created_by: key.createdBy,
          confirmed_by: key.confirmedBy,
          expires_at: key.expiresAt === null ? null : new Date(key.expiresAt),
          replaced_by: null,
        })
        .returning(readable)
        .executeTakeFirstOrThrow(),
    );
  }

  async confirm(id: string, by: string): Promise<ApiKey> {
    return this.change(id, { confirmed_by: by });
  }

  async replace(id: string, replacedBy: string, overlapMs: number): Promise<ApiKey> {
    return this.change(id, { replaced_by: replacedBy, expires_at: endsIn(overlapMs) });
  }

  async revoke(id: string): Promise<ApiKey> {
    return this.change(id, { revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` });
  }

  private async change(id: string, fields: object): Promise<ApiKey> {
    return keyOf(
      await this.trx
        .updateTable('api_keys')
        .set(fields)
        .where('tenant', '=', this.tenant)
        .where('id', '=', id)
        .returning(readable)
        .executeTakeFirstOrThrow(),
    );
  }
}

/** An end that is nearer stays. */
export function endsIn(overlapMs: number) {
  return sql<Date>`least(expires_at, clock_timestamp() + ${overlapMs} * interval '1 millisecond')`;
}

export function stateOf(
  row: Readonly<Pick<Row, 'revoked_at' | 'expires_at' | 'confirmed_by'>>,
  now = Date.now(),
): KeyState {
  if (row.revoked_at !== null) return 'revoked';
  if (row.expires_at !== null && row.expires_at.getTime() <= now) return 'expired';
  return row.confirmed_by === null ? 'unconfirmed' : 'active';
}

function keyOf(row: Row): ApiKey {
  return {
    id: row.id,
    person: row.principal_id,
    name: row.name,
    scopes: row.scopes,
    state: stateOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at.getTime(),
    confirmedBy: row.confirmed_by,
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    replacedBy: row.replaced_by,
    lastUsedAt: row.last_used_at?.getTime() ?? null,
  };
}

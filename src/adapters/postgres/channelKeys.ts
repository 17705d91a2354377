import { sql, type Selectable } from 'kysely';
import type { PublicKey } from '../../domain/access/bodies';
import type { ChannelKey, ChannelKeys } from '../../ports/keys';
import { endsIn, stateOf } from './apiKeys';
import type { Transaction } from './database';
import type { Tables } from './tables';

export interface KnownChannelKey {
  readonly publicJwk: Record<string, string>;
  /** ms since the epoch; null is no end. */
  readonly expiresAt: number | null;
  readonly revoked: boolean;
}

/** The key that a signature names: the tenant's own, or Countersign's. Another tenant's is as unknown as none. */
export async function lookUpChannelKey(
  db: Transaction,
  tenant: string,
  kid: string,
): Promise<KnownChannelKey | undefined> {
  const { rows } = await sql<
    Pick<Selectable<Tables['channel_keys']>, 'public_jwk' | 'expires_at' | 'revoked_at'>
  >`
    select public_jwk, expires_at, revoked_at from channel_key(${tenant}, ${kid})`.execute(db);
  const [row] = rows;
  return (
    row && {
      publicJwk: row.public_jwk,
      expiresAt: row.expires_at?.getTime() ?? null,
      revoked: row.revoked_at !== null,
    }
  );
}

export class PostgresChannelKeys implements ChannelKeys {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async find(kid: string): Promise<ChannelKey | undefined> {
    const row = await this.trx
      .selectFrom('channel_keys')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('kid', '=', kid)
      .executeTakeFirst();
    return row && keyOf(row);
  }

  async list(): Promise<ChannelKey[]> {
    const rows = await this.trx
      .selectFrom('channel_keys')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .orderBy('channel')
      .orderBy('created_at')
      .orderBy('kid')
      .execute();
    return rows.map(keyOf);
  }

  async add(
    key: Pick<ChannelKey, 'kid' | 'channel' | 'publicKey' | 'createdBy'>,
  ): Promise<ChannelKey | undefined> {
    if (await lookUpChannelKey(this.trx, this.tenant, key.kid)) return undefined;
    const row = await this.trx
      .insertInto('channel_keys')
      .values({
        kid: key.kid,
        tenant: this.tenant,
        public_jwk: JSON.stringify(key.publicKey),
        channel: key.channel,
        created_by: key.createdBy,
        confirmed_by: null,
        replaced_by: null,
      })
      .onConflict((oc) => oc.doNothing())
      .returningAll()
      .executeTakeFirst();
    return row && keyOf(row);
  }

  async confirm(kid: string, by: string): Promise<ChannelKey> {
    return this.change(kid, { confirmed_by: by });
  }

  async replace(kid: string, replacedBy: string, overlapMs: number): Promise<ChannelKey> {
    return this.change(kid, { replaced_by: replacedBy, expires_at: endsIn(overlapMs) });
  }

  async revoke(kid: string): Promise<ChannelKey> {
    return this.change(kid, { revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` });
  }

  async stands(channel: string): Promise<boolean> {
    const kid = /^signed:(.+)$/.exec(channel)?.[1];
    if (kid === undefined) return true;
    const key = await lookUpChannelKey(this.trx, this.tenant, kid);
    return key !== undefined && !key.revoked;
  }

  private async change(kid: string, fields: object): Promise<ChannelKey> {
    return keyOf(
      await this.trx
        .updateTable('channel_keys')
        .set(fields)
        .where('tenant', '=', this.tenant)
        .where('kid', '=', kid)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
  }
}

function keyOf(row: Selectable<Tables['channel_keys']>): ChannelKey {
  return {
    kid: row.kid,
    channel: row.channel,
    publicKey: row.public_jwk as unknown as PublicKey,
    state: stateOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at.getTime(),
    confirmedBy: row.confirmed_by,
    expiresAt: row.expires_at?.getTime() ?? null,
    revokedAt: row.revoked_at?.getTime() ?? null,
    replacedBy: row.replaced_by,
  };
}

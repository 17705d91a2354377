import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Principal } from '../../ports/people';
import type { SignInFailures, WebSession, WebSessions } from '../../ports/webSessions';
import type { Database } from './database';
import { principalOf, tokenHash, type PrincipalRow } from './people';

/** A session that nobody uses is over after this, ms. */
export const idleMs = 60 * 60_000;
/** Every session is over after this, ms. */
export const longestMs = 12 * 60 * 60_000;

const milliseconds = (ms: number) => sql`${ms} * interval '1 millisecond'`;

interface SessionRow extends PrincipalRow {
  readonly time_zone: string | null;
  readonly seen_lately: boolean;
}

export class PostgresWebSessions implements WebSessions {
  constructor(private readonly database: Database) {}

  async open({ tenant, key }: Principal, timeZone: string | null): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    const ends = Math.min(Date.now() + longestMs, key.expiresAt ?? Infinity);
    await this.database.inTenant(tenant, async (trx) => {
      await trx
        .deleteFrom('web_sessions')
        .where('tenant', '=', tenant)
        .where((eb) =>
          eb.or([
            eb('expires_at', '<=', sql<Date>`clock_timestamp()`),
            eb('seen_at', '<=', sql<Date>`clock_timestamp() - ${milliseconds(idleMs)}`),
          ]),
        )
        .execute();
      await trx
        .insertInto('web_sessions')
        .values({
          id: tokenHash(secret),
          tenant,
          key_id: key.id,
          time_zone: timeZone,
          expires_at: new Date(ends),
        })
        .execute();
    });
    return secret;
  }

  async find(secret: string, use: 'act' | 'look'): Promise<WebSession | undefined> {
    return this.database.unscoped(async (db) => {
      const id = tokenHash(secret);
      const { rows } =
        await sql<SessionRow>`select * from web_session(${id}, ${milliseconds(idleMs)})`.execute(db);
      const [row] = rows;
      if (!row) return undefined;
      if (use === 'act' && !row.seen_lately) await sql`select web_session_seen(${id})`.execute(db);
      return { principal: principalOf(row), timeZone: row.time_zone };
    });
  }

  async keepTimeZone(secret: string, tenant: string, timeZone: string): Promise<void> {
    await this.database.inTenant(tenant, (trx) =>
      trx
        .updateTable('web_sessions')
        .set({ time_zone: timeZone })
        .where('tenant', '=', tenant)
        .where('id', '=', tokenHash(secret))
        .execute(),
    );
  }

  async close(secret: string, tenant: string): Promise<void> {
    await this.database.inTenant(tenant, (trx) =>
      trx
        .deleteFrom('web_sessions')
        .where('tenant', '=', tenant)
        .where('id', '=', tokenHash(secret))
        .execute(),
    );
  }
}

export class PostgresSignInFailures implements SignInFailures {
  constructor(private readonly database: Database) {}

  async count(source: string, windowMs: number): Promise<number> {
    const row = await this.database.unscoped((db) =>
      db
        .selectFrom('sign_in_failures')
        .select(sql<number>`count(*)`.as('n'))
        .where('source', '=', tokenHash(source))
        .where('at', '>', sql<Date>`clock_timestamp() - ${milliseconds(windowMs)}`)
        .executeTakeFirst(),
    );
    return row?.n ?? 0;
  }

  async add(source: string, windowMs: number): Promise<void> {
    await this.database.unscoped(async (db) => {
      await db
        .deleteFrom('sign_in_failures')
        .where('at', '<=', sql<Date>`clock_timestamp() - ${milliseconds(windowMs)}`)
        .execute();
      await db
        .insertInto('sign_in_failures')
        .values({ source: tokenHash(source) })
        .execute();
    });
  }
}

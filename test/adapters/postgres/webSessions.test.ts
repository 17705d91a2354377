import { Database } from '../../../src/adapters/postgres/database';
import { PostgresAuthenticator } from '../../../src/adapters/postgres/people';
import {
  idleMs,
  longestMs,
  PostgresSignInFailures,
  PostgresWebSessions,
} from '../../../src/adapters/postgres/webSessions';
import { signIn } from '../../../src/application/signIn';
import type { Principal } from '../../../src/ports/people';
import { createDatabase, query, type TestDatabase } from '../../support/database';
import { testTokens } from '../../support/shared';

let scratch: TestDatabase;
let database: Database;
let sessions: PostgresWebSessions;
let failures: PostgresSignInFailures;
const people: Record<string, Principal> = {};

beforeAll(async () => {
  scratch = await createDatabase();
  database = new Database(scratch.url);
  sessions = new PostgresWebSessions(database);
  failures = new PostgresSignInFailures(database);
  const authenticator = new PostgresAuthenticator(database);
  for (const name of ['reviewer1', 'reviewer2', 'lead', 'admin'] as const) {
    people[name] = (await authenticator.authenticate(testTokens.acme[name])) as Principal;
  }
});
afterAll(async () => {
  await database.close();
  await scratch.drop();
});

const open = (name: string) => sessions.open(people[name] as Principal, 'Asia/Dhaka');
const asOwner = (statement: string) => query<Record<string, unknown>>(scratch.adminUrl, statement);
const older = (column: 'seen_at' | 'expires_at', ms: number) =>
  asOwner(`update web_sessions set ${column} = ${column} - ${ms} * interval '1 millisecond'`);

describe('a session of the pages', () => {
  test('is known by its secret alone, and the database holds only its hash', async () => {
    const secret = await open('reviewer1');
    expect(await sessions.find(secret, 'act')).toEqual({
      principal: people['reviewer1'],
      timeZone: 'Asia/Dhaka',
    });
    const rows = JSON.stringify(await asOwner('select * from web_sessions'));
    expect(rows).not.toContain(secret);
    const [row] = await asOwner('select id from web_sessions');
    expect(await sessions.find(String(row?.['id']), 'act')).toBeUndefined();
    expect(await sessions.find('', 'act')).toBeUndefined();
  });

  test('is over when nobody uses it, and what a page asks for by itself is no use', async () => {
    const [used, watched] = [await open('reviewer1'), await open('reviewer1')];
    for (const _half of [1, 2]) {
      await older('seen_at', idleMs * 0.6);
      await sessions.find(used, 'act');
      await sessions.find(watched, 'look');
    }
    expect(await sessions.find(used, 'act')).toBeDefined();
    expect(await sessions.find(watched, 'act')).toBeUndefined();
  });

  test('is over after twelve hours, however much it is used', async () => {
    const secret = await open('reviewer1');
    await older('expires_at', longestMs - 60_000);
    expect(await sessions.find(secret, 'act')).toBeDefined();
    await older('expires_at', 60_000);
    expect(await sessions.find(secret, 'act')).toBeUndefined();
  });

  test('ends when it is closed, and leaves others alone', async () => {
    const [mine, other] = [await open('reviewer1'), await open('reviewer1')];
    await sessions.close(mine, 'globex');
    expect(await sessions.find(mine, 'act')).toBeDefined();
    await sessions.close(mine, 'acme');
    expect(await sessions.find(mine, 'act')).toBeUndefined();
    expect(await sessions.find(other, 'act')).toBeDefined();
  });

  test('R23: ends the moment its key is revoked or has expired, its holder or the tenant is not active', async () => {
    const endings: [string, string, string][] = [
      ['reviewer1', `update api_keys set revoked_at = now() where id = '$key'`, ''],
      ['reviewer2', `update api_keys set expires_at = now() where id = '$key'`, ''],
      [
        'lead',
        `update principals set active = false where id = 'lead' and tenant = 'acme'`,
        `update principals set active = true`,
      ],
      ['admin', `update tenants set active = false where id = 'acme'`, `update tenants set active = true`],
    ];
    for (const [name, ending, undo] of endings) {
      const secret = await open(name);
      expect([name, await sessions.find(secret, 'look')]).toEqual([name, expect.anything()]);
      await asOwner(ending.replace('$key', people[name]?.key.id ?? ''));
      expect([name, await sessions.find(secret, 'act')]).toEqual([name, undefined]);
      if (undo !== '') await asOwner(undo);
    }
  });

  test('knows groups and limits as they are now, and a key that ends ends it', async () => {
    const secret = await open('lead');
    await asOwner(`update principals set groups = '{approvers}' where id = 'lead' and tenant = 'acme'`);
    expect((await sessions.find(secret, 'act'))?.principal.groups).toEqual(['approvers']);
    const soon = Date.now() + 60_000;
    const lead = people['lead'] as Principal;
    await sessions.open({ ...lead, key: { ...lead.key, expiresAt: soon } }, null);
    const [row] = await asOwner(
      'select max(expires_at) as never, min(expires_at) as soonest from web_sessions where expires_at > now()',
    );
    expect((row?.['soonest'] as Date).getTime()).toBe(soon);
  });

  test('opening one takes away what is over', async () => {
    await open('lead');
    await older('expires_at', longestMs);
    await open('lead');
    expect(await asOwner(`select id from web_sessions`)).toHaveLength(1);
  });
});

describe('signing in', () => {
  const presented: string[] = [];
  const useCases = () => ({
    sessions,
    signInFailures: failures,
    signInMethod: {
      name: 'token',
      prove: async (token: string) => {
        presented.push(token);
        return token === 'right' ? people['lead'] : undefined;
      },
    },
  });
  const attempt = (token: string, from: string) =>
    signIn(useCases(), token, from, null).then(
      () => 'in',
      (error: { code?: string }) => error.code,
    );

  test('R41: ten failures from one place within a minute, and no more is looked at; others are not stopped', async () => {
    for (let i = 0; i < 10; i += 1) expect(await attempt(`wrong${i}`, 'a')).toBe('unauthenticated');
    expect(await attempt('right', 'a')).toBe('too_many_attempts');
    expect(presented).not.toContain('right');
    expect(await attempt('right', 'b')).toBe('in');
    await asOwner(`update sign_in_failures set at = at - interval '61 seconds'`);
    expect(await attempt('right', 'a')).toBe('in');
    expect(await attempt('wrong', 'a')).toBe('unauthenticated');
    expect(await asOwner('select 1 from sign_in_failures')).toHaveLength(1);
    expect(JSON.stringify(await asOwner('select * from sign_in_failures'))).not.toContain('"a"');
  });

  test('R29: is for people; a service or an agent opens no session', async () => {
    const service = { ...people['lead'], kind: 'service' } as Principal;
    const method = { name: 'token', prove: async () => service };
    const sign = signIn({ ...useCases(), signInMethod: method }, 'x', 'c', null);
    await expect(sign).rejects.toMatchObject({ code: 'forbidden' });
  });
});

import { Client } from 'pg';
import { fillEveryTable } from './everyTable';
import { LedgerFixture } from './ledgerFixture';

let ledger: LedgerFixture;
let app: Client;
beforeAll(async () => {
  ledger = await LedgerFixture.open();
  app = new Client({ connectionString: ledger.database.url });
  await app.connect();
  for (const tenant of ['acme', 'globex']) await fillEveryTable(ledger, tenant);
});
afterAll(async () => {
  await app.end();
  await ledger.close();
});

/** Tables whose rows belong to a tenant, from the catalogue itself, so that a new one is in the test at once. */
async function tenantTables(): Promise<string[]> {
  const rows = await ledger.rows<{ name: string }>(
    `select table_name as name from information_schema.columns c
     join pg_tables t on t.tablename = c.table_name and t.schemaname = c.table_schema
     where c.table_schema = 'public' and c.column_name = 'tenant' order by 1`,
  );
  return rows.map((r) => r.name);
}

/** Read by the process that delivers for all; what it holds is said in the migration. */
const withoutScope = ['outbox'];
/** Countersign's own channel keys are of no tenant. */
const seenAs: Record<string, string> = { channel_keys: 'channel_keys where tenant is not null' };

async function scoped<Row extends object>(scope: string[], statement: string): Promise<Row[]> {
  await app.query('begin');
  try {
    for (const setting of scope) await app.query(`set local ${setting}`);
    return (await app.query<Row>(statement)).rows;
  } finally {
    await app.query('rollback');
  }
}

const refusedBy = (statement: string, scope: string[] = [`countersign.tenant = 'acme'`]) =>
  scoped(scope, statement).then(
    () => 'done',
    (error: unknown) => (error as { code?: string }).code,
  );
const notAllowed = '42501';

describe("the application's login", () => {
  test('R46: sees no row of any tenant without a scope, and with one only its own', async () => {
    const tables = (await tenantTables()).filter((name) => !withoutScope.includes(name));
    expect(tables).toEqual(expect.arrayContaining(['runs', 'payments', 'audit', 'memories', 'decisions']));
    for (const table of tables) {
      const all = await ledger.rows<{ tenant: string }>(
        `select distinct tenant from ${seenAs[table] ?? table} order by 1`,
      );
      expect({ table, tenants: all.map((r) => r.tenant) }).toEqual({ table, tenants: ['acme', 'globex'] });
      for (const scope of [[], [`countersign.tenant = ''`], [`countersign.tenant = '%'`]]) {
        const seen = await scoped(scope, `select 1 from ${seenAs[table] ?? table}`);
        expect({ table, scope, seen: seen.length }).toEqual({ table, scope, seen: 0 });
      }
      const mine = [`countersign.tenant = 'acme'`, `countersign.owner = 'owner'`];
      const seen = await scoped<{ tenant: string }>(
        mine,
        `select distinct tenant from ${seenAs[table] ?? table}`,
      );
      expect({ table, seen: seen.map((r) => r.tenant) }).toEqual({ table, seen: ['acme'] });
    }
  });

  test('R38: row-level security is on for every tenant table but the outbox, which is read for all', async () => {
    const rows = await ledger.rows<{ name: string; on: boolean }>(
      `select relname as name, relrowsecurity as on from pg_class where relname = any($1) and relkind = 'r'`,
      [await tenantTables()],
    );
    expect(
      rows
        .filter((r) => !r.on)
        .map((r) => r.name)
        .sort(),
    ).toEqual(withoutScope);
  });

  test('R38: writes nothing for another tenant', async () => {
    const audit = (tenant: string) =>
      `insert into audit (tenant, run_id, seq, at, actor, event, step, prev_hash, hash)
       values ('${tenant}', 'run_x', 1, now(), 'a', 'e', 's', '', '')`;
    expect(await refusedBy(audit('acme'))).toBe('done');
    expect(await refusedBy(audit('globex'))).toBe(notAllowed);
    expect(await refusedBy(audit('acme'), [])).toBe(notAllowed);
    expect(await refusedBy(`update runs set tenant = 'globex'`)).toBe(notAllowed);
    expect(
      await scoped([`countersign.tenant = 'acme'`], `update runs set phase = 'x' returning tenant`),
    ).toEqual([{ tenant: 'acme' }]);
  });

  test.each([
    `update audit set actor = 'nobody'`,
    `delete from audit`,
    `truncate audit`,
    `delete from runs`,
    `delete from refund_requests`,
    `update refund_requests set fingerprint = 'x'`,
    `delete from payments`,
    `delete from effects`,
    `delete from approvals`,
    `update approval_revisions set proposal_hash = 'x'`,
    `delete from decisions`,
    `delete from reconciliations`,
    `delete from reconciliation_differences`,
    `update ledger_entries set refunded = 0`,
    `insert into ledger_causes values ('acme', 'run_x', '1', 1)`,
    `insert into ledger_entries (tenant, account, payment_id, seq, currency) values ('acme', 'x', 'ch_x', 1, 'USD')`,
    `update refund_lines set quantity = 1`,
    `delete from refund_lines`,
    `update refund_splits set amount = 1`,
    `update notifications set recipient = 'me'`,
    `delete from knowledge_documents`,
    `update knowledge_passages set quote = 'x'`,
    `update knowledge_documents set tenant = 'globex'`,
    `update memories set words = ''`,
    `insert into policies (tenant, version, document) values ('globex', 'mine', '{}')`,
    `update policies set document = '{}'`,
    `delete from policies`,
    `update thread_turns set text = 'never said'`,
    `delete from thread_turns`,
    `update threads set owner = 'me'`,
    `delete from threads`,
    `update thread_compactions set content = '{}'`,
    `update principals set id = 'lead2'`,
    `update principals set kind = 'person'`,
    `delete from principals`,
    `select token_hash from api_keys`,
    `select * from api_keys`,
    `update api_keys set token_hash = 'x'`,
    `update api_keys set scopes = '{*}'`,
    `update api_keys set principal_id = 'lead'`,
    `delete from api_keys`,
    `update channel_keys set public_jwk = '{}'`,
    `update channel_keys set created_by = 'somebody'`,
    `insert into channel_keys (kid, tenant, public_jwk) values ('mine', null, '{}')`,
    `insert into channel_keys (kid, tenant, public_jwk) values ('mine', 'globex', '{}')`,
    `delete from channel_keys`,
    `delete from memory_candidates`,
    `update memory_candidates set proposed_by = 'somebody'`,
    `update memory_candidates set proposal_hash = 'x'`,
    `delete from memory_holds`,
    `update memory_holds set hold = 'quarantine'`,
    `update memory_pins set owner = 'me'`,
    `delete from memory_sources`,
    `update memory_sources set ref = 'other'`,
    `update groups set name = 'approvers'`,
    `insert into tenants values ('mine', 'Mine')`,
    `update tenants set active = true`,
    `select time_zone from web_sessions`,
    `update web_sessions set expires_at = now()`,
    `update web_sessions set tenant = 'globex'`,
    `alter table runs disable row level security`,
    `drop table audit`,
    `create table mine (id text)`,
    `set role countersign_owner`,
  ])('R42: has no grant for %s', async (statement) => {
    expect(await refusedBy(statement)).toBe(notAllowed);
  });

  test('R38: is no superuser, bypasses no row security, makes no roles, and owns nothing', async () => {
    const [role] = (
      await app.query<{ plain: boolean; owns: string }>(
        `select not (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication) as plain,
           (select count(*) from pg_class c where c.relowner = r.oid)
           + (select count(*) from pg_proc f where f.proowner = r.oid)
           + (select count(*) from pg_namespace n where n.nspowner = r.oid) as owns
         from pg_roles r where rolname = current_user`,
      )
    ).rows;
    expect(role).toEqual({ plain: true, owns: 0 });
    const { rows } = await app.query<{ rolname: string }>(
      `select rolname from pg_roles where pg_has_role(current_user, oid, 'member') order by 1`,
    );
    expect(rows.map((r) => r.rolname)).toEqual(['countersign', 'countersign_app']);
  });

  test('R42: takes no rights of the owner by a view of its own in place of a table', async () => {
    const session = new Client({ connectionString: ledger.database.url });
    await session.connect();
    await session.query(`
      create function pg_temp.who_am_i() returns tsvector language plpgsql as
        'begin perform set_config(''mine.ran_as'', current_user, false); return ''''::tsvector; end';
      create temp view memories as select 'acme' as tenant, 'o' as owner, 'm' as id, now() as valid_from,
        null::timestamptz as valid_to, null::timestamptz as expires_at, null::timestamptz as fades_at,
        pg_temp.who_am_i() as words, '{}'::text[] as ids;
      grant select on pg_temp.memories to public;
      select set_config('countersign.tenant', 'acme', false), set_config('countersign.owner', 'o', false)`);
    await session.query(`select * from memory_frequencies(array['a'], now() + interval '1 minute')`);
    const { rows } = await session.query(`select current_setting('mine.ran_as', true) as as_whom`);
    await session.end();
    expect(rows).toEqual([{ as_whom: null }]);
    const careless = await ledger.rows(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef
         and not coalesce(array_to_string(proconfig, ' ') ~ 'search_path=[^=]*, pg_temp$', false)`,
    );
    expect(careless).toEqual([]);
  });

  test('R29: what was revoked stays revoked, no key lives longer than it was given, and no channel key is confirmed by whoever made it', async () => {
    await ledger.rows(
      `update api_keys set revoked_at = now() where tenant = 'acme' and principal_id = 'agent'`,
    );
    await ledger.rows(`update channel_keys set revoked_at = now(), expires_at = now() where kid = 'c-acme'`);
    for (const statement of [
      `update api_keys set revoked_at = null where principal_id = 'agent'`,
      `update channel_keys set revoked_at = null where kid = 'c-acme'`,
      `update channel_keys set expires_at = now() + interval '1 day' where kid = 'c-acme'`,
      `update channel_keys set expires_at = null where kid = 'c-acme'`,
    ])
      expect({ statement, refused: await refusedBy(statement) }).toEqual({ statement, refused: notAllowed });
    expect(await refusedBy(`update channel_keys set confirmed_by = created_by`)).toBe('23514');
    const key = await scoped(
      [],
      `select * from channel_key('globex', 'c-acme') union all select * from channel_key('acme', 'c-globex')`,
    );
    expect(key).toEqual([]);
  });

  test('R38: a token opens exactly its own principal, and only by its hash', async () => {
    const { rows } = await app.query(`select * from authenticate('%')`);
    expect(rows).toEqual([]);
  });
});

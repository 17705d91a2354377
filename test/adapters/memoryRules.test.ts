import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { publishMemoryRules } from '../../src/adapters/postgres/migrations/0015_memory_governance';
import { memoryFixture, preference, service, type MemoryFixture } from './memoryFixture';

let fixture: MemoryFixture;
beforeAll(async () => {
  fixture = await memoryFixture();
});
afterAll(() => fixture.close());

const inTenant = (tenant: string) =>
  [
    { ...preference('ann'), tenantId: tenant },
    { ...service, tenant },
  ] as const;
const versions = async () =>
  (
    await fixture.asOwner.query<{ tenant: string; versions: string[] }>(
      `select tenant, array_agg(version order by number) as versions from policies group by tenant order by tenant`,
    )
  ).rows;

test('R42: a policy from before says nothing of memory and permits nothing; the migration publishes what the code said until then', async () => {
  await fixture.asOwner.query(
    `insert into tenants (id, name) values ('old', 'Old'), ('new', 'New');
     insert into policies (tenant, version, document, cedar)
       select 'old', '7', document, '@id("view") permit (principal, action == Action::"view", resource);'
       from policies where tenant = 'acme';
     insert into policies (tenant, version, document) select 'new', 'starter', document from policies where tenant = 'acme'`,
  );
  expect((await fixture.memories.propose(...inTenant('old'))).ruleIds).toEqual(['origin.not_permitted']);
  expect((await fixture.memories.propose(...inTenant('new'))).allowed).toBe(true);

  const { database, user, host, port } = fixture.asOwner;
  const { password } = fixture.asOwner as unknown as { password: string };
  const pool = new Pool({
    ...(database ? { database } : {}),
    ...(user ? { user } : {}),
    password,
    host,
    port,
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  await publishMemoryRules(db);
  await publishMemoryRules(db);
  await db.destroy();
  expect(await versions()).toEqual([
    { tenant: 'acme', versions: ['2026-11-01'] },
    { tenant: 'acme-corp', versions: ['2026-11-01'] },
    { tenant: 'globex', versions: ['2026-11-01'] },
    { tenant: 'new', versions: ['starter'] },
    { tenant: 'old', versions: ['7', '7-memory'] },
  ]);
  const decision = await fixture.memories.propose(...inTenant('old'));
  expect([decision.allowed, decision.policyVersion]).toEqual([true, 'memory-gate/3+7-memory']);
});

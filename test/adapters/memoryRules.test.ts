import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { publishMemoryRules } from '../../src/adapters/postgres/migrations/0015_memory_governance';
import { oweWaitingRules } from '../../src/adapters/postgres/migrations/0025_procedural_approvals';
import { actor, memoryFixture, preference, service, type MemoryFixture } from './memoryFixture';

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

/** As the owner of the tables, who migrates them. */
async function migrating(work: (db: Kysely<unknown>) => Promise<void>): Promise<void> {
  const { database, user, host, port } = fixture.asOwner;
  const { password } = fixture.asOwner as unknown as { password: string };
  const login = { ...(database ? { database } : {}), ...(user ? { user } : {}), password, host, port };
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new Pool(login) }) });
  await work(db);
  await db.destroy();
}

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

  await migrating(async (db) => {
    await publishMemoryRules(db);
    await publishMemoryRules(db);
  });
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

test('R26: a rule of procedure that waited for an administrator before there were approvals of it is owed one', async () => {
  const owed = async () => (await fixture.asOwner.query<object>('select run_id, kind, ref from outbox')).rows;
  const rule = { kind: 'procedural', key: 'procedure/a', source: 'inferred' } as const;
  const agent = actor('agent', 'agent');
  const { candidateId } = await fixture.memories.propose(preference('ann', rule), agent);
  await fixture.memories.propose(preference('bob', rule), agent);
  await fixture.asOwner.query(
    `update memory_candidates set status = 'expired', value = null, decided_at = now() where owner = 'bob'`,
  );
  await fixture.asOwner.query('delete from outbox');
  await migrating(oweWaitingRules);
  expect(await owed()).toEqual([{ run_id: candidateId, kind: 'memory', ref: 'start' }]);
});

import { actor, memoryFixture, preference, service, type MemoryFixture } from './memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];

beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});

afterAll(() => fixture.close());

const recall = (owner: string, tenant = 'acme') => memories.recall({ tenant, owner }, { limit: 50 });

describe('scope', () => {
  const owners = ['a', 'a-b', 'a_b', 'a%', 'A', '\u0430', 'b'];

  it('R46: each owner sees his own and nobody else sees it, look-alikes and patterns included', async () => {
    for (const owner of owners) await memories.propose(preference(owner, { value: `of ${owner}` }), service);
    for (const owner of owners) {
      expect((await recall(owner)).map(({ value }) => value)).toEqual([`of ${owner}`]);
      for (const tenant of ['acme-corp', 'globex']) expect(await recall(owner, tenant)).toEqual([]);
    }
    const id = (await recall('a'))[0]?.id ?? '';
    for (const scope of [
      { tenant: 'acme', owner: 'a%' },
      { tenant: 'acme', owner: 'b' },
      { tenant: 'acme-corp', owner: 'a' },
    ]) {
      expect(await memories.find(scope, id)).toBeUndefined();
      expect(await memories.forget(scope, id, service)).toBe(false);
    }
    expect(await memories.find({ tenant: 'acme', owner: 'a' }, id)).toMatchObject({ id });
  });

  it.each([
    { tenant: 'acme', owner: '' },
    { tenant: 'acme', owner: '*' },
    { tenant: '*', owner: 'a' },
    { tenant: '', owner: 'a' },
    { tenant: "acme' or '1'='1", owner: 'a' },
    { tenant: 'acme' },
    { owner: 'a' },
  ])('R46: the scope %j is refused on every path', async (scope) => {
    const wrong = scope as { tenant: string; owner: string };
    const refusal = { code: 'memory_scope_invalid' };
    await expect(memories.recall(wrong, { limit: 5 })).rejects.toMatchObject(refusal);
    await expect(memories.find(wrong, 'mem_1')).rejects.toMatchObject(refusal);
    await expect(memories.list(wrong, { limit: 5 })).rejects.toMatchObject(refusal);
    await expect(memories.forget(wrong, 'mem_1', service)).rejects.toMatchObject(refusal);
    const candidate = { ...preference('a'), tenantId: wrong.tenant, ownerId: wrong.owner };
    await expect(memories.propose(candidate, service)).rejects.toMatchObject(refusal);
  });

  it('R46: row-level security shows nothing unless both tenant and owner are set', async () => {
    const count = async (...settings: string[]): Promise<number[]> => {
      await fixture.asApp.query('begin');
      for (const setting of settings) await fixture.asApp.query(`set local ${setting}`);
      const { rows } = await fixture.asApp.query<{ m: string; d: string; t: string }>(
        `select (select count(*) from memories) as m, (select count(*) from memory_decisions) as d,
          (select count(*) from memory_tombstones) as t`,
      );
      await fixture.asApp.query('rollback');
      return [rows[0]?.m, rows[0]?.d, rows[0]?.t].map(Number);
    };
    expect(await count(`countersign.tenant = 'acme'`, `countersign.owner = 'a'`)).toEqual([1, 1, 0]);
    expect(await count()).toEqual([0, 0, 0]);
    expect(await count(`countersign.tenant = 'acme'`)).toEqual([0, 0, 0]);
    expect(await count(`countersign.owner = 'a'`)).toEqual([0, 0, 0]);
    expect(await count(`countersign.tenant = 'acme'`, `countersign.owner = '%'`)).toEqual([0, 0, 0]);
  });
});

describe('grants', () => {
  const insert = (decision: string, owner = 'g1', key = 'k'): string =>
    `insert into memories (id, tenant, owner, kind, key, value, source, confidence, evidence, personal, valid_from, version, decision_id)
     values ('mem_${decision}_${owner}_${key}', 'acme', '${owner}', 'semantic', '${key}', 'v', 'user_explicit', 1, '[]', false, now(), 1, '${decision}')`;
  const decision = (id: string, allowed: boolean): string =>
    `insert into memory_decisions (id, tenant, owner, kind, key, allowed, rule_ids, policy_version, reason, actor, actor_kind)
     values ('${id}', 'acme', 'g1', 'semantic', 'k', ${allowed}, '{r}', 'v', 'r', 'a', 'person')`;

  async function attempt(...statements: string[]): Promise<string> {
    await fixture.asApp.query(
      `begin; set local countersign.tenant = 'acme'; set local countersign.owner = 'g1'`,
    );
    try {
      for (const statement of statements) await fixture.asApp.query(statement);
      await fixture.asApp.query('commit');
      return 'done';
    } catch (error) {
      await fixture.asApp.query('rollback');
      return error instanceof Error ? error.message : String(error);
    }
  }

  it('R42: no row without an allowing decision about this owner, kind and key', async () => {
    expect(await attempt(insert('none'))).toMatch(/foreign key/);
    expect(await attempt(decision('no', false), insert('no'))).toMatch(/foreign key/);
    expect(await attempt(decision('yes', true), insert('yes', 'g1', 'other'))).toMatch(/foreign key/);
    expect(await attempt(decision('yes', true), insert('yes', 'g2'))).toMatch(/row-level security/);
    expect(await attempt(decision('yes', true), insert('yes'))).toBe('done');
    const close = (successor: string): string =>
      `update memories set valid_to = now(), superseded_by = ${successor} where valid_to is null`;
    expect(await attempt(close('id'))).toMatch(/check constraint/);
    expect(await attempt(close(`'mem_nobody'`))).toMatch(/foreign key/);
    // One decision is one write.
    expect(await attempt(close(`'mem_again'`), insert('yes').replace('mem_yes_g1_k', 'mem_again'))).toMatch(
      /duplicate key/,
    );
  });

  it('R42: a memory and a decision cannot be rewritten', async () => {
    for (const statement of [
      `update memories set value = 'poison'`,
      `update memories set owner = 'g2'`,
      `update memory_decisions set allowed = true`,
      `delete from memory_decisions`,
      `truncate memories`,
    ]) {
      expect(await attempt(statement)).toMatch(/permission denied/);
    }
    await memories.propose(preference('g1'), actor('g1'));
    await memories.propose(preference('g1', { value: 'later' }), actor('g1'));
    expect(
      await attempt(`update memories set valid_to = null, superseded_by = null where valid_to is not null`),
    ).toMatch(/closed memory/);
  });
});

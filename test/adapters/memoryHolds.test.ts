import {
  holdSource,
  listHeldSources,
  listHolds,
  quarantineMemory,
  releaseMemory,
  releaseSource,
} from '../../src/application/memoryReviews';
import type { MemoryCandidate } from '../../src/domain/memory/candidate';
import {
  actor,
  administrator as admin,
  memoryFixture,
  preference,
  principal,
  service,
  type MemoryFixture,
} from './memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];
beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});
afterAll(() => fixture.close());

const scope = (owner: string, tenant = 'acme') => ({ tenant, owner });
const wrong = { reason: 'suspicious' } as const;
const turn = (ref: string) => ({ kind: 'turn', ref }) as const;

async function kept(owner: string, change: Partial<MemoryCandidate> = {}): Promise<string> {
  const { memoryId } = await memories.propose(preference(owner, change), service);
  if (memoryId === null) throw new Error('it was not remembered');
  return memoryId;
}

/** Every path by which something can be read now, by id included. */
async function now(owner: string, id: string) {
  const [recalled, listed, found] = await Promise.all([
    memories.recall(scope(owner), { limit: 50 }),
    memories.list(scope(owner), { limit: 50 }),
    memories.find(scope(owner), id),
  ]);
  return [recalled.length, listed.items.length, found !== undefined];
}

describe('quarantine of one memory', () => {
  test('R48: it is given by no path, by id included, until it is released; as-of tells what was believed when', async () => {
    const id = await kept('q1');
    const before = (await memories.find(scope('q1'), id))?.validFrom ?? 0;
    const hold = await quarantineMemory(fixture, admin, 'q1', id, wrong);
    expect(await now('q1', id)).toEqual([0, 0, false]);
    expect(await memories.current(scope('q1'), id)).toBeUndefined();
    expect((await memories.history(scope('q1'), id)).map(({ state }) => state)).toEqual(['quarantined']);
    expect(await quarantineMemory(fixture, admin, 'q1', id, wrong)).toEqual(hold);
    await releaseMemory(fixture, admin, 'q1', id);
    expect(await now('q1', id)).toEqual([1, 1, true]);
    await expect(releaseMemory(fixture, admin, 'q1', id)).rejects.toMatchObject({ code: 'not_found' });

    await fixture.asOwner.query(
      `update memories set valid_from = valid_from - interval '10 s' where id = '${id}';
       update memory_holds set held_at = held_at - interval '6 s', ended_at = ended_at - interval '3 s' where memory_id = '${id}'`,
    );
    const at = async (ms: number) => (await memories.find(scope('q1'), id, before + ms)) !== undefined;
    expect(await Promise.all([at(-11_000), at(-9_000), at(-5_000), at(-1_000)])).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  test('R46: another owner, another tenant, and whoever is no administrator', async () => {
    const id = await kept('q2');
    for (const [who, owner] of [
      [admin, 'q3'],
      [admin, 'q%'],
      [principal('admin', { tenant: 'acme-corp', groups: ['admins'] }), 'q2'],
    ] as const)
      await expect(quarantineMemory(fixture, who, owner, id, wrong)).rejects.toMatchObject({
        code: 'not_found',
      });
    for (const who of [principal('q2'), principal('agent', { kind: 'agent' }), principal('reviewer1')])
      await expect(quarantineMemory(fixture, who, 'q2', id, wrong)).rejects.toMatchObject({
        code: 'forbidden',
      });
    await expect(quarantineMemory(fixture, admin, '*', id, wrong)).rejects.toMatchObject({
      code: 'memory_scope_invalid',
    });
    expect(await now('q2', id)).toEqual([1, 1, true]);
  });

  test('R47: what is in quarantine still outranks a weaker source', async () => {
    const id = await kept('q4');
    await quarantineMemory(fixture, admin, 'q4', id, wrong);
    const weaker = preference('q4', { source: 'inferred', value: 'Likes French.' });
    expect((await memories.propose(weaker, actor('q4'))).ruleIds).toEqual(['conflict.outranked']);
    await memories.propose(preference('q4', { value: 'In Bengali.' }), actor('q4'));
    expect(await memories.recall(scope('q4'), { limit: 5 })).toMatchObject([
      { value: 'In Bengali.', version: 2 },
    ]);
  });
});

describe('a source', () => {
  test('R48: everything learnt from it, of all owners, is held and released together; a hold of its own stays', async () => {
    const ids = [
      await kept('s1', { evidence: [turn('t-9/1')] }),
      await kept('s2', { evidence: [turn('t-9/2'), { kind: 'run', ref: 'run_1' }] }),
      await kept('s2', { key: 'preference/tone', evidence: [turn('t-9')] }),
    ];
    const other = await kept('s3', { evidence: [turn('t-90/1')] });
    await quarantineMemory(fixture, admin, 's1', ids[0] ?? '', wrong);
    const report = await holdSource(fixture, admin, 'quarantine', { source: turn('t-9'), ...wrong });
    expect(report).toMatchObject({ versions: 3, owners: 2, live: 3, candidates: 0 });
    expect(await now('s2', ids[1] ?? '')).toEqual([0, 0, false]);
    expect(await now('s3', other)).toEqual([1, 1, true]);
    expect(await holdSource(fixture, admin, 'quarantine', { source: turn('t-9'), ...wrong })).toEqual(report);
    expect(await listHeldSources(fixture, admin)).toMatchObject([{ id: report.id, source: turn('t-9') }]);
    expect(
      (await listHolds(fixture, admin, { limit: 50 })).items.filter((h) => h.sourceId === report.id),
    ).toHaveLength(3);

    const again = await memories.propose(preference('s4', { evidence: [turn('t-9/7')] }), service);
    expect(again).toMatchObject({ allowed: false, ruleIds: ['source.quarantined'], memoryId: null });

    expect(await releaseSource(fixture, admin, turn('t-9'))).toEqual({ id: report.id, released: 3 });
    expect(await now('s2', ids[1] ?? '')).toEqual([2, 2, true]);
    expect(await now('s1', ids[0] ?? '')).toEqual([0, 0, false]);
    await expect(releaseSource(fixture, admin, turn('t-9'))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('R48: a revocation holds every version and what waits, tells counts alone, and is for good; another tenant is untouched', async () => {
    const doc = { kind: 'document', ref: 'handbook' } as const;
    const procedure: Partial<MemoryCandidate> = {
      kind: 'procedural',
      source: 'inferred',
      evidence: [{ ...doc, ref: 'handbook#3' }],
    };
    await kept('v1', { evidence: [turn('t-1')], value: 'zanzibar one' });
    const agent = actor('agent', 'agent');
    const { candidateId } = await memories.propose(preference('v1', { ...procedure, key: 'p/1' }), agent);
    const learnt: Partial<MemoryCandidate> = {
      source: 'inferred',
      confidence: 0.9,
      evidence: [{ kind: 'turn', ref: 'handbook' }],
    };
    const same = await kept('v2', learnt);
    const elsewhere = await memories.propose(
      { ...preference('v1'), tenantId: 'acme-corp', evidence: [turn('t-1')] },
      { ...service, tenant: 'acme-corp' },
    );
    const byDocument = await holdSource(fixture, admin, 'revocation', { source: doc, reason: 'poisoned' });
    expect(byDocument).toMatchObject({ versions: 0, candidates: 1 });
    const { rows } = await fixture.asOwner.query(
      `select status, value from memory_candidates where id = '${candidateId}'`,
    );
    expect(rows).toEqual([{ status: 'revoked', value: null }]);
    // Of another kind, the same ref is another source.
    expect(await now('v2', same)).toEqual([1, 1, true]);

    const byTurn = await holdSource(fixture, admin, 'revocation', {
      source: turn('t-1'),
      reason: 'poisoned',
      comment: 'seen',
    });
    expect(byTurn).toMatchObject({ versions: 1, owners: 1, live: 1 });
    const released = await releaseSource(fixture, admin, turn('t-1'));
    expect(released).toMatchObject({ released: 0 });
    expect(await memories.recall(scope('v1'), { limit: 5 })).toEqual([]);
    expect(await memories.recall(scope('v1', 'acme-corp'), { limit: 5 })).toMatchObject([
      { id: elsewhere.memoryId },
    ]);
    const audit = await fixture.asOwner.query<{ row: string }>(
      `select a::text as row from audit a where event = 'memory_source_revoked'`,
    );
    expect(audit.rows).toHaveLength(2);
    for (const { row } of audit.rows) expect(row).not.toMatch(/zanzibar|v1|handbook|t-1/);
    // A weaker source may take the place of what was revoked.
    const next = await memories.propose(preference('v1', { source: 'inferred' }), actor('v1'));
    expect(next).toMatchObject({ allowed: true });
    await expect(
      fixture.asApp.query(`begin; set local countersign.tenant = 'acme';
        update memory_holds set ended_at = now(), ended_by = 'x' where hold = 'revocation'`),
    ).rejects.toMatchObject({ code: '23514' });
    await fixture.asApp.query('rollback');
  });

  test('R48: nothing learnt from a source slips in while it is being held', async () => {
    const evidence = [turn('race/1')];
    const writes = Array.from({ length: 12 }, (_, i) =>
      memories.propose(preference(`race-${i}`, { evidence }), service),
    );
    const held = holdSource(fixture, admin, 'revocation', { source: turn('race'), reason: 'poisoned' });
    await Promise.all([...writes, held]);
    for (let i = 0; i < 12; i += 1)
      expect(await memories.recall(scope(`race-${i}`), { limit: 5 })).toEqual([]);
  });

  test('R44: a card number as a source or in a comment is stored nowhere', async () => {
    const card = '4000056655665556';
    await expect(
      holdSource(fixture, admin, 'quarantine', { source: turn(card), ...wrong }),
    ).rejects.toMatchObject({ code: 'sensitive_text' });
    await expect(
      holdSource(fixture, admin, 'quarantine', { source: turn('x'), ...wrong, comment: `see ${card}` }),
    ).rejects.toMatchObject({ code: 'sensitive_text' });
    expect(await fixture.everyRow()).not.toContain(card);
  });
});

import { proposeMemory } from '../../activities/proposeMemory';
import { actor, memoryFixture, preference, service, type MemoryFixture } from './memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];

beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});

afterAll(() => fixture.close());

const recall = (owner: string, tenant = 'acme') => memories.recall({ tenant, owner }, { limit: 50 });

describe('propose', () => {
  it('R42: what is allowed is written with its decision; what is refused leaves the decision alone', async () => {
    const kept = await memories.propose(preference('p1'), actor('p1'));
    expect(kept).toMatchObject({ allowed: true, ruleIds: ['allow.policy', 'policy:remember-explicit'] });
    const refused = await memories.propose(
      preference('p1', { key: 'habit/tea', source: 'inferred', explicitUserRequest: false }),
      actor('p1'),
    );
    expect(refused).toMatchObject({ allowed: false, ruleIds: ['origin.inferred'], memoryId: null });

    expect(await recall('p1')).toMatchObject([
      {
        id: kept.memoryId,
        value: 'Answer in English.',
        version: 1,
        decisionId: kept.decisionId,
        validTo: null,
      },
    ]);
    const { rows } = await fixture.asOwner.query(
      `select id, key, allowed from memory_decisions where owner = 'p1' order by decided_at`,
    );
    expect(rows).toEqual([
      { id: kept.decisionId, key: 'preference/language', allowed: true },
      { id: refused.decisionId, key: 'habit/tea', allowed: false },
    ]);
  });

  it('R44: a refused card number is in no row of any table, wherever the candidate had it', async () => {
    const card = '4000056655665556';
    const written = '4000 0566\u200b5566 5556';
    for (const change of [
      { value: `my card is ${written}` },
      { value: card, key: `card/${card}` },
      { value: 'x', evidence: [{ kind: 'turn' as const, ref: card }] },
      { value: card, [card]: card },
      { value: card, kind: card as 'semantic' },
    ]) {
      expect((await memories.propose(preference('p2', change), actor('p2'))).allowed).toBe(false);
    }
    await expect(memories.propose(preference(card), service)).rejects.toMatchObject({
      code: 'memory_scope_invalid',
    });
    await expect(memories.propose(preference('p2'), actor('p2'), { requestKey: card })).rejects.toMatchObject(
      {
        code: 'invalid_request',
      },
    );
    const stored = await fixture.everyRow();
    expect(stored).toContain('p2');
    expect(stored.replace(/[^0-9a-z]/gi, '')).not.toContain(card);
    expect(await recall('p2')).toEqual([]);
  });

  it('R42: the same request key answers as the first time, also after forgetting', async () => {
    const once = await memories.propose(preference('p3'), actor('p3'), { requestKey: 'run_7:remember' });
    expect(await memories.propose(preference('p3'), actor('p3'), { requestKey: 'run_7:remember' })).toEqual(
      once,
    );
    expect(await recall('p3')).toHaveLength(1);
    await memories.forget({ tenant: 'acme', owner: 'p3' }, once.memoryId ?? '', actor('p3'));
    const replayed = await memories.propose(preference('p3'), actor('p3'), { requestKey: 'run_7:remember' });
    expect(replayed).toEqual({ ...once, memoryId: null });
    expect(await recall('p3')).toEqual([]);
  });

  it('R42: the activity remembers the outcome of a run once', async () => {
    const activity = proposeMemory(memories);
    const outcome = {
      tenant: 'acme',
      owner: 'p4',
      runId: 'run_4',
      amount: { minor: 12000, currency: 'USD' },
      reason: 'damaged',
    } as const;
    const verdicts = await Promise.all([activity(outcome), activity(outcome), activity(outcome)]);
    expect(new Set(verdicts.map(({ decisionId }) => decisionId)).size).toBe(1);
    expect(verdicts[0]).toMatchObject({
      allowed: true,
      ruleIds: ['allow.policy', 'policy:remember-outcome'],
    });
    const rows = await recall('p4');
    expect(rows).toMatchObject([{ key: 'refund/run_4', kind: 'episodic', source: 'tool', version: 1 }]);
    expect(JSON.parse(rows[0]?.value ?? '')).toEqual({
      runId: 'run_4',
      outcome: 'completed',
      amount: { minor: 12000, currency: 'USD' },
      reason: 'damaged',
    });
  });
});

describe('one live row', () => {
  it('R47, R48: a later explicit statement replaces an earlier one, which stays to be asked for', async () => {
    const scope = { tenant: 'acme', owner: 'c1' };
    const first = await memories.propose(preference('c1'), actor('c1'));
    const before = (await recall('c1'))[0];
    const second = await memories.propose(
      preference('c1', { value: 'In Bengali from now on.' }),
      actor('c1'),
    );
    expect(await recall('c1')).toMatchObject([
      { id: second.memoryId, version: 2, value: 'In Bengali from now on.' },
    ]);
    expect(await memories.find(scope, first.memoryId ?? '')).toBeUndefined();
    const { rows } = await fixture.asOwner.query(
      `select o.superseded_by, o.valid_to = n.valid_from as seamless from memories o join memories n on n.id = o.superseded_by
       where o.owner = 'c1'`,
    );
    expect(rows).toEqual([{ superseded_by: second.memoryId, seamless: true }]);
    const then = (before?.validFrom ?? 0) + 1;
    const replacedAt = (await recall('c1'))[0]?.validFrom ?? 0;
    if (then < replacedAt) {
      expect(await memories.recall(scope, { at: then, limit: 5 })).toMatchObject([{ id: first.memoryId }]);
    }
    expect(await memories.recall(scope, { at: (before?.validFrom ?? 0) - 1000, limit: 5 })).toEqual([]);
  });

  it('R47: explicit beats inferred whatever the order; the weaker write is on record as refused', async () => {
    const inferred = preference('c2', { source: 'inferred', value: 'Likes French.' });
    await memories.propose(inferred, actor('c2'));
    await memories.propose(preference('c2'), actor('c2'));
    const late = await memories.propose(inferred, actor('c2'));
    expect(late).toMatchObject({ allowed: false, ruleIds: ['conflict.outranked'], memoryId: null });
    expect(await recall('c2')).toMatchObject([{ source: 'user_explicit', version: 2 }]);
  });

  it('R47: two writers with one version: one gets a conflict', async () => {
    await memories.propose(preference('c3'), actor('c3'));
    const results = await Promise.allSettled(
      ['a', 'b'].map((value) =>
        memories.propose(preference('c3', { value }), actor('c3'), { expectedVersion: 1 }),
      ),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'version_conflict' },
    });
    expect(await recall('c3')).toMatchObject([{ version: 2 }]);
  });

  it('R47: many writers at once leave one live row and an unbroken chain', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        memories.propose(preference('c4', { value: `v${i}` }), actor('c4')),
      ),
    );
    const { rows } = await fixture.asOwner.query(
      `select version, valid_to is null as live from memories where owner = 'c4' order by version`,
    );
    expect(rows).toEqual(Array.from({ length: 20 }, (_, i) => ({ version: i + 1, live: i === 19 })));
  });

  it('R48: what has expired is given by no path, and a weaker source may take its place', async () => {
    const gone = await memories.propose(preference('c5', { expiresAt: '2020-01-01T00:00:00Z' }), actor('c5'));
    const scope = { tenant: 'acme', owner: 'c5' };
    expect(await recall('c5')).toEqual([]);
    expect(await memories.find(scope, gone.memoryId ?? '')).toBeUndefined();
    expect((await memories.list(scope, { limit: 5 })).items).toEqual([]);
    await memories.propose(preference('c5', { source: 'inferred' }), actor('c5'));
    expect(await recall('c5')).toMatchObject([{ source: 'inferred', version: 2 }]);
  });
});

describe('forget', () => {
  it('R49: removes every version and leaves a tombstone without content', async () => {
    const scope = { tenant: 'acme', owner: 'f1' };
    await memories.propose(preference('f1', { value: 'first zanzibar' }), actor('f1'));
    const last = await memories.propose(preference('f1', { value: 'second zanzibar' }), actor('f1'));
    expect(await memories.forget(scope, last.memoryId ?? '', actor('f1'))).toBe(true);
    expect(await memories.forget(scope, last.memoryId ?? '', actor('f1'))).toBe(false);
    expect(await fixture.everyRow()).not.toContain('zanzibar');
    const { rows } = await fixture.asOwner.query(
      `select memory_id, versions, actor from memory_tombstones where owner = 'f1'`,
    );
    expect(rows).toEqual([{ memory_id: last.memoryId, versions: 2, actor: 'f1' }]);
  });
});

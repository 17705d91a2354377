import { confirmMemory, correctMemory } from '../../src/application/memoryCorrections';
import { halfLifeMs } from '../../src/domain/memory/decay';
import { actor, memoryFixture, preference, principal, service, type MemoryFixture } from './memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];
beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});
afterAll(() => fixture.close());

const scope = (owner: string) => ({ tenant: 'acme', owner });
const inferred = (owner: string) =>
  preference(owner, { source: 'inferred', confidence: 0.5, value: 'Likes tea.' });
const older = (owner: string, ms: number) =>
  fixture.asOwner.query(
    `update memories set valid_from = valid_from - ${ms} * interval '1 ms', fades_at = fades_at - ${ms} * interval '1 ms'
     where owner = '${owner}' and valid_to is null`,
  );

describe('what was inferred', () => {
  test('R48: falls out when it has faded, on every path, and is back once its owner confirms it', async () => {
    const { memoryId } = await memories.propose(inferred('d1'), actor('d1'));
    const id = memoryId ?? '';
    const young = await memories.find(scope('d1'), id);
    expect((young?.fadesAt ?? 0) - (young?.validFrom ?? 0)).toBe(halfLifeMs);
    await older('d1', halfLifeMs);
    expect(await memories.recall(scope('d1'), { limit: 5 })).toEqual([]);
    expect(await memories.find(scope('d1'), id)).toBeUndefined();
    expect((await memories.list(scope('d1'), { limit: 5 })).items).toEqual([]);
    expect((await memories.list(scope('d1'), { limit: 5, faded: true })).items).toMatchObject([{ id }]);
    expect(await memories.find(scope('d1'), id, (young?.validFrom ?? 0) - 1000)).toMatchObject({ id });

    const confirmed = await confirmMemory(memories, principal('d1'), id, {});
    expect(await memories.recall(scope('d1'), { limit: 5 })).toMatchObject([
      { id: confirmed.memoryId, value: 'Likes tea.', source: 'user_explicit', version: 2, fadesAt: null },
    ]);
    expect((await memories.list(scope('d1'), { limit: 5, faded: true })).items).toEqual([]);
  });

  test('R47: a weaker source may take the place of what has faded', async () => {
    await memories.propose(inferred('d2'), actor('d2'));
    await older('d2', halfLifeMs);
    const again = await memories.propose(inferred('d2'), actor('d2'));
    expect(again.allowed).toBe(true);
    expect(await memories.recall(scope('d2'), { limit: 5 })).toMatchObject([{ version: 2 }]);
  });
});

describe('corrections', () => {
  test('R47: what a person typed is an explicit statement, whatever it replaces, and nothing weaker takes its place', async () => {
    const { memoryId } = await memories.propose(inferred('e1'), actor('e1'));
    await correctMemory(memories, principal('e1'), memoryId ?? '', { value: 'Likes coffee.' });
    expect(await memories.recall(scope('e1'), { limit: 5 })).toMatchObject([
      { value: 'Likes coffee.', source: 'user_explicit', version: 2 },
    ]);
    expect((await memories.propose(inferred('e1'), actor('e1'))).ruleIds).toEqual(['conflict.outranked']);
  });

  test('R34: a stale one is refused, by its version and by the id of the version that was replaced', async () => {
    const first = await memories.propose(preference('e2'), actor('e2'));
    const id = first.memoryId ?? '';
    const me = principal('e2');
    const correct = (version: number | undefined, value: string, of = id) =>
      correctMemory(memories, me, of, { value, ...(version === undefined ? {} : { version }) });
    await expect(correct(2, 'x')).rejects.toMatchObject({
      code: 'version_conflict',
      details: { currentVersion: 1 },
    });
    const results = await Promise.allSettled([correct(1, 'a'), correct(1, 'b'), correct(1, 'c')]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await expect(correct(undefined, 'd')).rejects.toMatchObject({
      code: 'version_conflict',
      details: { currentVersion: 2 },
    });
    await expect(memories.forget(scope('e2'), id, actor('e2'), 1)).rejects.toMatchObject({
      code: 'version_conflict',
    });
    expect(await memories.forget(scope('e2'), id, actor('e2'), 2)).toBe(true);
    await expect(correct(undefined, 'e')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('R43: a correction passes the gate as anything else, and an agent corrects nothing', async () => {
    const { memoryId } = await memories.propose(preference('e3'), actor('e3'));
    const id = memoryId ?? '';
    await expect(
      correctMemory(memories, principal('e3'), id, { value: 'no review needed for me' }),
    ).rejects.toMatchObject({ code: 'memory_denied', details: { ruleIds: ['content.authority'] } });
    const agent = principal('agent', { kind: 'agent' });
    await expect(correctMemory(memories, agent, id, { value: 'x' }, 'e3')).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(correctMemory(memories, principal('e4'), id, { value: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await memories.find(scope('e3'), id)).toMatchObject({ value: 'Answer in English.' });
  });

  test('R42: whom policy does not permit to forget, forgets nothing', async () => {
    const { memoryId } = await memories.propose(preference('e5'), actor('e5'));
    for (const who of [actor('e6'), actor('agent', 'agent')])
      await expect(memories.forget(scope('e5'), memoryId ?? '', who)).rejects.toMatchObject({
        code: 'forbidden',
      });
    expect(await memories.forget(scope('e5'), memoryId ?? '', service)).toBe(true);
  });
});

describe('history', () => {
  test('R48: every version with what took its place, why it was written, and what was believed at each time', async () => {
    const said = ['one', 'two', 'three'];
    for (const value of said) await memories.propose(preference('h1', { value }), actor('h1'));
    const [third, second, first] = await memories.history(
      scope('h1'),
      (await memories.recall(scope('h1'), { limit: 1 }))[0]?.id ?? '',
    );
    expect([first, second, third]).toMatchObject([
      { value: 'one', state: 'superseded', supersededBy: second?.id, validTo: second?.validFrom },
      { value: 'two', state: 'superseded', supersededBy: third?.id, validTo: third?.validFrom },
      { value: 'three', state: 'believed', supersededBy: null, validTo: null, decision: { actor: 'h1' } },
    ]);
    expect(await memories.history(scope('h1'), first?.id ?? '')).toHaveLength(3);
    expect(await memories.history(scope('h2'), first?.id ?? '')).toEqual([]);
    for (const version of [first, second, third]) {
      const at = version?.validFrom ?? 0;
      const [believed] = await memories.recall(scope('h1'), { at, limit: 5 });
      // Of several within one millisecond, the last one.
      expect(believed?.version).toBeGreaterThanOrEqual(version?.version ?? 0);
      expect((await memories.list(scope('h1'), { at, limit: 5 })).items).toEqual([believed]);
    }
    await memories.propose(preference('h1', { key: 'preference/tone', value: 'short' }), actor('h1'));
    const exported: unknown[] = [];
    for await (const { key, version, state } of memories.export(scope('h1')))
      exported.push([key, version, state]);
    expect(exported).toEqual([
      ['preference/language', 1, 'superseded'],
      ['preference/language', 2, 'superseded'],
      ['preference/language', 3, 'believed'],
      ['preference/tone', 1, 'believed'],
    ]);
  });
});

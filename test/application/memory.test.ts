import {
  findMemory,
  forgetMemory,
  listMemories,
  proposeMemory,
  type MemoryPrincipal,
} from '../../src/application/memory';
import type { MemoryPosition } from '../../src/ports/memory';
import { memoryFixture, type MemoryFixture } from '../adapters/memoryFixture';

let fixture: MemoryFixture;
let memories: MemoryFixture['memories'];

beforeAll(async () => {
  fixture = await memoryFixture();
  memories = fixture.memories;
});

afterAll(() => fixture.close());

describe('use cases', () => {
  const principal = (id: string, change: Partial<MemoryPrincipal> = {}): MemoryPrincipal => ({
    tenant: 'acme',
    id,
    kind: 'person',
    groups: [],
    ...change,
  });
  const body = { key: 'preference/tone', value: 'Short answers.', kind: 'semantic', source: 'user_explicit' };

  it('R38: the tenant comes from the credential, and another owner and another tenant see nothing', async () => {
    const ann = principal('u-ann');
    const { memoryId } = await proposeMemory(memories, ann, body);
    const kept = { memoryId: memoryId ?? 'none' };
    expect((await listMemories(memories, ann, { limit: 10 })).items).toMatchObject([{ id: kept.memoryId }]);
    expect(await findMemory(memories, ann, kept.memoryId)).toMatchObject({ value: 'Short answers.' });
    await expect(proposeMemory(memories, ann, { ...body, tenantId: 'globex' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    for (const other of [principal('u-bob'), principal('u-ann', { tenant: 'globex' })]) {
      expect((await listMemories(memories, other, { limit: 10 })).items).toEqual([]);
      const unknown = await findMemory(memories, other, 'mem_unknown').catch((error: unknown) => error);
      const foreign = await findMemory(memories, other, kept.memoryId).catch((error: unknown) => error);
      expect(foreign).toEqual(unknown);
      await expect(forgetMemory(memories, other, kept.memoryId)).rejects.toMatchObject({ code: 'not_found' });
    }
    await expect(listMemories(memories, principal('u-bob'), { limit: 10 }, 'u-ann')).rejects.toMatchObject({
      code: 'forbidden',
    });
    const admin = principal('admin', { groups: ['admins'] });
    expect((await listMemories(memories, admin, { limit: 10 }, 'u-ann')).items).toHaveLength(1);
    await forgetMemory(memories, ann, kept.memoryId);
    expect((await listMemories(memories, ann, { limit: 10 })).items).toEqual([]);
  });

  it('R44: a refusal names rules and nothing of what was said', async () => {
    const refused = await proposeMemory(memories, principal('u-cat'), {
      ...body,
      value: 'card 4111 1111 1111 1111',
    }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'memory_denied', details: { ruleIds: ['content.sensitive'] } });
    const odd = await proposeMemory(memories, principal('u-cat'), { ...body, '4111111111111111': 1 }).catch(
      (error: unknown) => error,
    );
    expect(odd).toMatchObject({
      code: 'invalid_request',
      details: { issues: [{ path: '', message: 'unknown field' }] },
    });
    for (const error of [refused, odd]) {
      expect(JSON.stringify(error) + String(error)).not.toContain('1111');
    }
    await expect(
      proposeMemory(memories, principal('u-cat'), { ...body, ownerId: '*' }),
    ).rejects.toMatchObject({
      code: 'memory_scope_invalid',
    });
  });

  it('R43: a person cannot write into another owner; the attempt is recorded with himself', async () => {
    await expect(
      proposeMemory(memories, principal('u-dan'), { ...body, ownerId: 'u-eve' }),
    ).rejects.toMatchObject({
      code: 'memory_denied',
      details: { ruleIds: ['scope.other_owner'] },
    });
    const { rows } = await fixture.asOwner.query(
      `select owner from memory_decisions where owner in ('u-dan', 'u-eve')`,
    );
    expect(rows).toEqual([{ owner: 'u-dan' }]);
  });

  it('lists in pages without gaps', async () => {
    const fay = principal('u-fay');
    for (const key of ['a', 'B', 'c_1', 'c-2', 'd']) await proposeMemory(memories, fay, { ...body, key });
    const keys: string[] = [];
    let after: MemoryPosition | null = null;
    do {
      const page: { items: { key: string }[]; next: MemoryPosition | null } = await listMemories(
        memories,
        fay,
        { limit: 2, ...(after === null ? {} : { after }) },
      );
      keys.push(...page.items.map(({ key }) => key));
      after = page.next;
    } while (after !== null);
    expect([...keys].sort()).toEqual(['B', 'a', 'c-2', 'c_1', 'd']);
  });
});

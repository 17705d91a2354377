import type { Answer } from '../support/api';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';
import { owned, statement } from './memoryBodies';
import { proposedRules } from './proposedRules';
import { refusedMemories } from './refusedMemories';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const propose = (body: object, headers: Record<string, string> = {}, who: 'service' | 'agent' = 'service') =>
  stack.as(who).call('POST', '/v1/memories', body, headers);
describe('/v1/memories', () => {
  test('R47, R34: propose, correct, confirm, forget: versions in ETag and If-Match, a stale one is a conflict', async () => {
    const service = stack.as('service');
    const key = { 'idempotency-key': 'turn-4' };
    const stored = await propose(statement('ada'), key);
    expect(stored).toMatchObject({ status: 201, body: { allowed: true, candidateId: null } });
    expect((await propose(statement('ada'), key)).body).toEqual(stored.body);
    const path = owned(`/${stored.body.memoryId}`, 'ada');
    const shown = await service.call('GET', path);
    expect([shown.headers.get('etag'), shown.body.version, shown.body.confidenceNow]).toEqual(['"1"', 1, 1]);
    expectProblem(await propose(statement('ada'), { 'if-match': '"0"' }), 409, 'version_conflict');

    const pin = owned(`/${stored.body.memoryId}/pin`, 'ada');
    expect(await service.call('POST', pin)).toMatchObject({
      status: 200,
      body: { pinned: true, version: 1 },
    });
    const corrected = await service.call('PATCH', path, { value: 'In Bengali.' }, { 'if-match': '"1"' });
    expect(corrected.status).toBe(201);
    for (const stale of [
      await service.call('PATCH', path, { value: 'In French.' }, { 'if-match': '"1"' }),
      await service.call('POST', owned(`/${stored.body.memoryId}/confirm`, 'ada')),
      await service.call('DELETE', path, undefined, { 'if-match': '1' }),
    ])
      expectProblem(stale, 409, 'version_conflict');
    expectProblem(await service.call('DELETE', path, undefined, { 'if-match': 'x' }), 422, 'invalid_request');
    const now = owned(`/${corrected.body.memoryId}`, 'ada');
    expectProblem(await service.call('GET', path), 404, 'not_found');
    const second = { value: 'In Bengali.', version: 2, pinned: true };
    expect((await service.call('GET', now)).body).toMatchObject(second);
    expect((await service.call('DELETE', pin)).status).toBe(204);
    expect((await service.call('GET', now)).body).toMatchObject({ ...second, pinned: false });
    expect(
      (await service.call('POST', owned(`/${corrected.body.memoryId}/confirm`, 'ada'), { version: 2 }))
        .status,
    ).toBe(201);

    const history = await service.call('GET', owned(`/${stored.body.memoryId}/history`, 'ada'));
    expect((history.body.items as { state: string }[]).map((v) => v.state)).toEqual([
      'believed',
      'superseded',
      'superseded',
    ]);
    const then = history.body.items[2].validFrom as string;
    const asOf = await service.call('GET', owned('', 'ada', `&as_of=${then}`));
    expect(asOf.body.items).toMatchObject([{ id: stored.body.memoryId }]);
    expect((await service.call('GET', owned('', 'ada', '&as_of=2020-01-01T00:00:00Z'))).body.items).toEqual(
      [],
    );
    const lines = (await service.call('GET', owned('/export', 'ada'))).text.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { version: number }).version)).toEqual([1, 2, 3]);

    const live = history.body.items[0].id as string;
    expect(
      (await service.call('DELETE', owned(`/${live}`, 'ada'), undefined, { 'if-match': '"3"' })).status,
    ).toBe(204);
    expect((await service.call('GET', owned('/export', 'ada'))).text).toBe('');
  });

  test('R53: an agent reads what is believed now and nothing else, and changes nothing', async () => {
    const { body } = await propose(statement('cid'));
    const agent = stack.as('agent');
    const id = `/${body.memoryId}`;
    expect((await agent.call('GET', owned(id, 'cid'))).status).toBe(200);
    for (const refused of [
      await agent.call('GET', owned(id, 'cid', '&as_of=2026-01-01T00:00:00Z')),
      await agent.call('GET', owned('', 'cid', '&as_of=2026-01-01T00:00:00Z')),
      await agent.call('GET', owned('', 'cid', '&state=faded')),
      await agent.call('GET', owned(`${id}/history`, 'cid')),
      await agent.call('GET', owned('/export', 'cid')),
      await agent.call('PATCH', owned(id, 'cid'), { value: 'x' }),
      await agent.call('POST', owned(`${id}/confirm`, 'cid')),
      await agent.call('DELETE', owned(id, 'cid')),
      await agent.call('POST', owned(`${id}/pin`, 'cid')),
      await agent.call('DELETE', owned(`${id}/pin`, 'cid')),
      await agent.call('POST', owned(`${id}/quarantine`, 'cid'), { reason: 'wrong' }),
    ])
      expectProblem(refused, 403, 'forbidden');
  });
});

describe('scope', () => {
  const owners = ['a', 'a-b', 'a_b', 'a%', 'A', '\u0430', 'ａ', 'a*'];
  type Call = readonly [method: string, path: string, body?: unknown];
  const onOne: readonly Call[] = [
    ['GET', '/{id}'],
    ['GET', '/{id}/history'],
    ['PATCH', '/{id}', { value: 'mine' }],
    ['POST', '/{id}/confirm', {}],
    ['POST', '/{id}/pin'],
    ['DELETE', '/{id}/pin'],
    ['DELETE', '/{id}'],
    ['POST', '/{id}/quarantine', { reason: 'wrong' }],
    ['DELETE', '/{id}/quarantine'],
  ];

  test('R46: every call on the id of a memory is in this test', async () => {
    const { body } = await stack.as('service').call('GET', '/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => path.startsWith('/v1/memories/{id}'))
      .flatMap(([path, methods]) => Object.keys(methods).map((m) => `${m.toUpperCase()} ${path}`));
    expect(onOne.map(([m, path]) => `${m} /v1/memories${path}`).sort()).toEqual(documented.sort());
  });

  test('R46: to each look-alike owner, and to the other tenant, an id is the same bytes as an unknown one, on every call', async () => {
    const ids: string[] = [];
    for (const owner of owners) {
      const { body, status } = await propose(statement(owner));
      expect([owner, status]).toEqual([owner, 201]);
      ids.push(body.memoryId as string);
    }
    const everything = async () =>
      query(stack.database.adminUrl, `select m::text from memories m where owner = any($1) order by id`, [
        owners,
      ]);
    const before = await everything();
    const mine = ids[0] ?? '';
    const unknown = 'mem_00000000-0000-0000-0000-000000000000';
    for (const [method, path, body] of onOne) {
      const forAdmins = path.endsWith('quarantine');
      const ask = (id: string, owner: string, tenant: 'acme' | 'globex'): Promise<Answer> =>
        stack
          .as(forAdmins ? 'admin' : 'service', tenant)
          .call(method, owned(path.replace('{id}', id), owner), body);
      for (const [owner, tenant] of [
        ...owners.slice(1).map((one) => [one, 'acme'] as const),
        ['a', 'globex'] as const,
      ]) {
        const [theirs, nobodys] = [await ask(mine, owner, tenant), await ask(unknown, owner, tenant)];
        expectProblem(theirs, 404, 'not_found');
        expect([method, path, owner, bytesOf(theirs)]).toEqual([method, path, owner, bytesOf(nobodys)]);
      }
    }
    expect(await everything()).toEqual(before);
    for (const [i, owner] of owners.entries()) {
      const { body } = await stack.as('service').call('GET', owned('', owner));
      expect([owner, (body.items as { id: string }[]).map((m) => m.id)]).toEqual([owner, [ids[i]]]);
      expect(
        (await stack.as('service').call('GET', owned('/export', owner))).text.trimEnd().split('\n'),
      ).toHaveLength(1);
      expect((await stack.as('service', 'globex').call('GET', owned('', owner))).body.items).toEqual([]);
    }
  });

  test('R46: an empty owner, a star or what nobody sees names nobody, on every door', async () => {
    for (const owner of ['', '*', ' a', 'a\u200b']) {
      for (const [method, path, body] of [['GET', ''], ['GET', '/export'], ...onOne] as readonly Call[]) {
        const who = path.endsWith('quarantine') ? 'admin' : 'service';
        const answer = await stack.as(who).call(method, owned(path.replace('{id}', 'mem_1'), owner), body);
        expect([method, path, owner, answer.body.code]).toEqual([
          method,
          path,
          owner,
          'memory_scope_invalid',
        ]);
      }
      expectProblem(await propose(statement(owner)), 422, 'memory_scope_invalid');
    }
  });

  test('R46: a person names nobody but himself', async () => {
    const reviewer = stack.as('reviewer1');
    for (const path of ['', '/export'])
      expectProblem(await reviewer.call('GET', owned(path, 'a')), 403, 'forbidden');
    const own = await reviewer.call('POST', '/v1/memories', { ...statement('x'), ownerId: undefined });
    expect(own.status).toBe(201);
    expect((await reviewer.call('GET', '/v1/memories')).body.items).toHaveLength(1);
    expectProblem(await reviewer.call('POST', '/v1/memories', statement('a')), 403, 'memory_denied');
  });
});

proposedRules({ stack: () => stack, propose });
refusedMemories({ stack: () => stack, propose });

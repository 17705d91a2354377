import { TestStack } from '../support/stack';
import { changesOf, secondAdministrator, somebody } from './adminFixture';
import { bytesOf, expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
});
afterAll(() => stack.stop());

const admin = () => stack.as('admin');
const person = (id: string, more: object = {}) => ({ id, kind: 'person', displayName: 'Kim', ...more });

describe('separation of duties', () => {
  test.each([
    ['his groups', 'PATCH', '/v1/admin/people/admin', { version: 1, groups: ['admins', 'approvers'] }],
    ['his limit', 'PATCH', '/v1/admin/people/admin', { version: 1, limit: '1.00' }],
    ['his activity', 'PATCH', '/v1/admin/people/admin', { version: 1, active: false }],
    ['himself by a group', 'PATCH', '/v1/admin/groups/approvers', { version: 0, add: ['admin'] }],
  ])(
    'R23: an administrator does not change %s; the attempt is on the log',
    async (_what, method, path, body) => {
      const { version } = (await admin().call('GET', path)).body as { version: number };
      const refused = await admin().call(method, path, { ...body, version });
      expectProblem(refused, 403, 'separation_of_duties');
      expect((await admin().call('GET', '/v1/admin/people/admin')).body).toMatchObject({
        groups: ['admins'],
        limit: null,
        active: true,
      });
      expect((await changesOf(stack)).at(-1)).toMatchObject({
        actor: 'admin',
        event: 'admin_refused',
        reason: 'separation_of_duties',
      });
    },
  );

  test('R23: another administrator may, and that is on the log under his name', async () => {
    const second = await secondAdministrator(stack);
    const { version } = (await second.as.call('GET', '/v1/admin/people/admin')).body as { version: number };
    const raise = (groups: string[], from: number) =>
      second.as.call('PATCH', '/v1/admin/people/admin', { version: from, groups });
    const raised = await raise(['admins', 'approvers'], version);
    expect(raised.body.groups).toEqual(['admins', 'approvers']);
    expect((await changesOf(stack)).at(-1)).toMatchObject({ actor: second.id, event: 'person_changed' });
    expect((await raise(['admins'], raised.body.version as number)).status).toBe(200);
  });

  test('R23: two administrators who put each other out at once: one of them stays', async () => {
    const one = await somebody(stack, ['admins'], ['admin']);
    const other = await somebody(stack, ['admins'], ['admin']);
    const out = (by: typeof one, of: typeof one) =>
      by.as.call('PATCH', `/v1/admin/people/${of.id}`, { version: 1, active: false });
    const both = await Promise.all([out(one, other), out(other, one)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each(['reviewer1', 'lead', 'service', 'agent'] as const)(
    'R38: %s is no administrator, and learns nothing of what there is',
    async (who) => {
      const answers = [
        await stack.as(who).call('GET', '/v1/admin/people/admin'),
        await stack.as(who).call('GET', '/v1/admin/people/nobody'),
        await stack.as(who).call('PATCH', '/v1/admin/people/nobody', 'not JSON'),
        await stack.as(who).call('POST', '/v1/admin/keys', {}),
        await stack.as(who).call('GET', '/v1/admin/tenant'),
      ];
      for (const answer of answers) expectProblem(answer, 403, 'forbidden');
      expect(new Set(answers.map(bytesOf)).size).toBe(1);
      const attempts = (await changesOf(stack)).filter((row) => row.actor === who);
      expect(attempts.map(({ event, reason }) => [event, reason])).toEqual([
        ['admin_refused', 'forbidden'],
        ['admin_refused', 'forbidden'],
      ]);
    },
  );
});

describe('tenants', () => {
  test('R38: an administrator sees and changes his own alone; what is of another is as unknown as nothing', async () => {
    await admin().call('POST', '/v1/admin/people', person('only-acme'));
    await admin().call('POST', '/v1/admin/groups', { name: 'only-acme' });
    const { body } = await admin().call('POST', '/v1/admin/keys', {
      person: 'service',
      name: 'only-acme',
      scopes: ['refunds:read'],
    });
    const globex = stack.as('admin', 'globex');
    const { id } = (body as { key: { id: string } }).key;
    for (const [method, theirs, nobodys, sent] of [
      ['GET', '/people/only-acme', '/people/only-nobody', undefined],
      ['PATCH', '/people/only-acme', '/people/only-nobody', { version: 1 }],
      ['GET', '/groups/only-acme', '/groups/only-nobody', undefined],
      ['DELETE', '/groups/only-acme?version=1', '/groups/only-nobody?version=1', undefined],
      ['GET', `/keys/${id}`, '/keys/key_0', undefined],
      ['POST', `/keys/${id}/confirm`, '/keys/key_0/confirm', undefined],
      ['POST', `/keys/${id}/rotate`, '/keys/key_0/rotate', {}],
      ['POST', `/keys/${id}/revoke`, '/keys/key_0/revoke', { reason: 'mine' }],
    ] as const) {
      const foreign = await globex.call(method, `/v1/admin${theirs}`, sent);
      expectProblem(foreign, 404, 'not_found');
      expect(bytesOf(foreign)).toBe(bytesOf(await globex.call(method, `/v1/admin${nobodys}`, sent)));
    }
    const keys = await globex.call('GET', '/v1/admin/keys');
    expect(JSON.stringify(keys.body)).not.toContain(id);
    expect((await globex.call('GET', '/v1/admin/tenant')).body).toMatchObject({ id: 'globex', active: true });
  });

  test('R34: a tenant is renamed from the version that was read, and every change is searched for in the audit log', async () => {
    const { version } = (await admin().call('GET', '/v1/admin/tenant')).body as { version: number };
    const rename = (name: string) => admin().call('PATCH', '/v1/admin/tenant', { name, version });
    expect((await rename('Acme Retail')).body).toMatchObject({ name: 'Acme Retail', version: version + 1 });
    expectProblem(await rename('Acme Wholesale'), 409, 'version_conflict');
    const found = await admin().call('GET', '/v1/audit?run=tenant/acme&limit=2');
    expect((found.body.items as { event: string; reason: string }[]).map((r) => [r.event, r.reason])).toEqual(
      [
        ['admin_refused', 'version_conflict'],
        ['tenant_renamed', null],
      ],
    );
  });
});

import { TestStack } from '../support/stack';
import { changesOf } from './adminFixture';
import { expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
});
afterAll(() => stack.stop());

const admin = () => stack.as('admin');
const person = (id: string, more: object = {}) => ({ id, kind: 'person', displayName: 'Kim', ...more });

describe('people', () => {
  test('are added, shown, listed and changed, and the log has who, before and after, but no name', async () => {
    const added = await admin().call('POST', '/v1/admin/people', person('kim', { groups: ['proposers'] }));
    expect([added.status, added.body]).toEqual([
      201,
      expect.objectContaining({ id: 'kim', groups: ['proposers'], limit: null, active: true, version: 1 }),
    ]);
    const changed = await admin().call('PATCH', '/v1/admin/people/kim', {
      version: 1,
      displayName: 'Kim Park',
      groups: ['proposers', 'approvers'],
      limit: '250.00',
    });
    expect(changed.body).toMatchObject({
      displayName: 'Kim Park',
      groups: ['approvers', 'proposers'],
      limit: '250.00',
      version: 2,
    });
    expect((await admin().call('GET', '/v1/admin/people/kim')).body).toEqual(changed.body);
    const listed = await admin().call('GET', '/v1/admin/people?group=approvers&active=true');
    expect((listed.body.items as { id: string }[]).map(({ id }) => id)).toEqual([
      'kim',
      'lead',
      'reviewer1',
      'reviewer2',
    ]);
    const page = await admin().call('GET', '/v1/admin/people?limit=2');
    const rest = await admin().call('GET', `/v1/admin/people?cursor=${page.body.nextCursor as string}`);
    expect(page.body.items.length + rest.body.items.length).toBe(7);

    const log = (await changesOf(stack)).slice(-2);
    expect(log).toEqual([
      {
        actor: 'admin',
        event: 'person_added',
        before: null,
        after: {
          person: 'kim',
          kind: 'person',
          groups: ['proposers'],
          limit: null,
          active: true,
          version: 1,
        },
        reason: null,
      },
      {
        actor: 'admin',
        event: 'person_changed',
        before: expect.objectContaining({ groups: ['proposers'], limit: null, version: 1 }),
        after: expect.objectContaining({
          groups: ['approvers', 'proposers'],
          limit: '250.00',
          version: 2,
          displayName: 'changed',
        }),
        reason: null,
      },
    ]);
    expect(JSON.stringify(log)).not.toContain('Park');
  });

  test('R34: of two changes from one version the second is a conflict and overwrites nothing', async () => {
    await admin().call('POST', '/v1/admin/people', person('racer'));
    const change = (limit: string, version: number) =>
      admin().call('PATCH', '/v1/admin/people/racer', { version, limit });
    const both = await Promise.all([change('10', 1), change('20', 1)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = both.find(({ status }) => status === 409);
    expect(refused && refused.body).toMatchObject({ code: 'version_conflict', currentVersion: 2 });
    expectProblem(await change('30', 7), 409, 'version_conflict');
    const winner = both.find(({ status }) => status === 200);
    const now = await admin().call('GET', '/v1/admin/people/racer');
    expect(now.body).toEqual(winner?.body);
  });

  test.each([
    ['an e-mail address', { id: 'kim@example.com' }],
    ['capital letters', { id: 'Kim' }],
    ['a name of Countersign', { id: 'countersign' }],
    ['a group that is not there', { groups: ['aprovers'] }],
    ['a limit with a sign', { limit: '-5' }],
    ['no name', { displayName: ' ' }],
    ['a service that administers', { kind: 'service', groups: ['admins'] }],
    ['an unknown field', { password: 'x' }],
  ])('R41: %s is 422 and adds nobody', async (_what, wrong) => {
    const before = (await admin().call('GET', '/v1/admin/people?limit=200')).body.items.length as number;
    const refused = await admin().call('POST', '/v1/admin/people', person('wrong', wrong));
    expectProblem(refused, 422, 'invalid_request');
    expect((await admin().call('GET', '/v1/admin/people?limit=200')).body.items).toHaveLength(before);
  });

  test('R39: a card number is no name', async () => {
    const refused = await admin().call(
      'POST',
      '/v1/admin/people',
      person('carded', { displayName: '4242424242424242' }),
    );
    expectProblem(refused, 422, 'sensitive_text');
  });

  test('a second one of an id is a conflict', async () => {
    expectProblem(await admin().call('POST', '/v1/admin/people', person('lead')), 409, 'already_exists');
  });
});

describe('groups', () => {
  test('R34: take people in and out by their version, and go when nobody and nothing needs them', async () => {
    const made = await admin().call('POST', '/v1/admin/groups', {
      name: 'night-shift',
      description: 'after ten',
    });
    expect([made.status, made.body.members, made.body.version]).toEqual([201, [], 1]);
    const join = (version: number) =>
      admin().call('PATCH', '/v1/admin/groups/night-shift', { version, add: ['reviewer1', 'reviewer2'] });
    const joined = await join(1);
    expect(joined.body.members).toEqual(['reviewer1', 'reviewer2']);
    expectProblem(await join(1), 409, 'version_conflict');
    const member = await admin().call('GET', '/v1/admin/people/reviewer1');
    expect(member.body.groups).toContain('night-shift');

    const remove = (version: number) =>
      admin().call('DELETE', `/v1/admin/groups/night-shift?version=${version}`);
    expectProblem(await remove(joined.body.version as number), 409, 'group_in_use');
    const left = await admin().call('PATCH', '/v1/admin/groups/night-shift', {
      version: joined.body.version,
      remove: ['reviewer1', 'reviewer2'],
    });
    expectProblem(await remove(joined.body.version as number), 409, 'version_conflict');
    expect((await remove(left.body.version as number)).status).toBe(204);
    expectProblem(await admin().call('GET', '/v1/admin/groups/night-shift'), 404, 'not_found');
    for (const name of ['admins', 'proposers']) {
      const { version } = (await admin().call('GET', `/v1/admin/groups/${name}`)).body as { version: number };
      expectProblem(
        await admin().call('DELETE', `/v1/admin/groups/${name}?version=${version}`),
        409,
        'group_in_use',
      );
    }
  });

  test('a group that the policy names stays, also without members', async () => {
    const globex = stack.as('admin', 'globex');
    const group = await globex.call('GET', '/v1/admin/groups/finance-lead');
    const emptied = await globex.call('PATCH', '/v1/admin/groups/finance-lead', {
      version: group.body.version,
      remove: ['lead'],
    });
    expect(emptied.body.members).toEqual([]);
    const removed = await globex.call(
      'DELETE',
      `/v1/admin/groups/finance-lead?version=${emptied.body.version as number}`,
    );
    expectProblem(removed, 409, 'group_in_use');
  });
});

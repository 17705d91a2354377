import type { PolicyToPublish } from '../../src/client';
import { embeddedPolicy } from '../../src/sandbox/embeddedTenants';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
});
afterAll(() => stack.stop());

const { cedar, document, cases, version: seeded } = embeddedPolicy;
const policy = { cedar, table: document, cases };
const withRule = (rule: string) => ({ ...policy, cedar: `${cedar}\n${rule}\n` });
const admin = (tenant: 'acme' | 'globex' = 'acme') => stack.as('admin', tenant);

async function newest(tenant: 'acme' | 'globex' = 'acme'): Promise<string> {
  const { body } = await admin(tenant).call('GET', '/v1/policies?limit=1');
  return (body as { items: [{ version: string }] }).items[0].version;
}
async function publish(change: Partial<PolicyToPublish> = {}, tenant: 'acme' | 'globex' = 'acme') {
  const body = { ...policy, expectedVersion: await newest(tenant), ...change };
  return admin(tenant).call('POST', '/v1/policies', body);
}
const audited = (tenant = 'acme') =>
  query<{ event: string; actor: string; reason: string | null; after: unknown }>(
    stack.database.adminUrl,
    `select event, actor, reason, after from audit where run_id = 'policy/${tenant}' order by seq`,
  );

describe('publishing a policy', () => {
  test('R37: what is in force can be read, and a new version takes its place, on the audit log in the same moment', async () => {
    const shown = await stack.as('reviewer1').call('GET', `/v1/policies/${seeded}`);
    expect(shown.body).toMatchObject({ version: seeded, number: 1, cedar, table: document, cases });
    expect(shown.body.inWords).toContain('reviews: settled by finance-lead');

    const published = await publish({ comment: 'nothing changes', version: 'same-2027' });
    expect([published.status, published.body]).toEqual([
      201,
      expect.objectContaining({
        version: 'same-2027',
        number: 2,
        publishedBy: 'admin',
        comment: 'nothing changes',
      }),
    ]);
    expect(await newest()).toBe('same-2027');
    expect((await audited()).at(-1)).toMatchObject({
      event: 'policy_published',
      actor: 'admin',
      after: { version: 'same-2027', number: 2, content: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(await newest('globex')).toBe(seeded);
  });

  test('R34: who compared with another version than the one in force is told so, and sees which one that is', async () => {
    const current = await newest();
    const changed = withRule('// a word');
    const first = await publish({ ...changed, expectedVersion: current });
    expect(first.status).toBe(201);
    const stale = await publish({ ...withRule('// another'), expectedVersion: current });
    expectProblem(stale, 409, 'version_conflict');
    expect(stale.body.newest).toBe(first.body.version);
    expect((await audited()).at(-1)).toMatchObject({ event: 'policy_refused', reason: 'version_conflict' });
    const taken = await publish({ version: seeded, cedar: `${cedar}// more\n` });
    expectProblem(taken, 409, 'version_conflict');
    const again = await publish({ ...changed, expectedVersion: current });
    expect([again.status, again.body.version]).toEqual([201, first.body.version]);
  });

  test.each<[string, object, RegExp]>([
    [
      'an example that comes out otherwise',
      { table: { ...document, otherCurrencies: [{ approvers: 2 }] } },
      /"other currencies always need one" expects 1 vote and gets 2 votes/,
    ],
    [
      'an attribute with a typo',
      withRule(
        '@id("b") forbid (principal, action == Action::"approve", resource) when { resource.amunt > 1 };',
      ),
      /did you mean `amount`/,
    ],
    ['a rule without a name', withRule('permit (principal, action, resource);'), /@id/],
    ['no example', { cases: { people: {}, cases: [] } }, /at least one example/],
    [
      'nobody left who may publish',
      {
        cedar: `${cedar.split('@id("manage")')[0]}`,
        cases: { people: {}, cases: [{ case: 'c', amount: '1.00 USD', then: 'automatic' }] },
      },
      /could publish no further one/,
    ],
  ])('R42: a policy with %s is not published, and the answer says why', async (_what, change, says) => {
    const before = await newest();
    const refused = await publish(change);
    expectProblem(refused, 422, 'policy_invalid');
    expect(refused.body.detail).toMatch(says);
    expect(await newest()).toBe(before);
    expect((await audited()).at(-1)).toMatchObject({
      event: 'policy_refused',
      actor: 'admin',
      reason: 'policy_invalid',
    });
  });

  test('R41: what is not of its form is refused by field', async () => {
    const cards = ['4242', '4242', '4242', '4242'].join(' ');
    for (const [change, code, path] of [
      [{ table: { ...document, tiers: { USD: [] } } }, 'invalid_request', 'table.tiers.USD'],
      [{ table: { ...document, threshold: 1 } }, 'invalid_request', 'table'],
      [{ version: '../x' }, 'invalid_request', 'version'],
      [{ cedar: 7 }, 'invalid_request', 'cedar'],
      [
        {
          cases: {
            people: {},
            cases: [{ case: 'c', who: 'x', does: 'approve', amount: '1.00 USD', then: 'permit' }],
          },
        },
        'invalid_request',
        'cases.cases.0.who',
      ],
      [{ expectedVersion: undefined }, 'invalid_request', 'expectedVersion'],
      [{ comment: `card ${cards}` }, 'sensitive_text', undefined],
      [withRule(`// card ${cards}`), 'sensitive_text', undefined],
    ] as const) {
      const refused = await admin().call('POST', '/v1/policies', {
        ...policy,
        expectedVersion: 'x',
        ...change,
      });
      expectProblem(refused, 422, code);
      expect(refused.text).not.toContain('4242');
      if (path !== undefined)
        expect((refused.body.issues as { path: string }[]).map((issue) => issue.path)).toContain(path);
    }
    const large = await admin().call('POST', '/v1/policies', { ...policy, cedar: 'x'.repeat(70_000) });
    expectProblem(large, 413, 'body_too_large');
  });

  test('R23: nobody but an administrator publishes or checks one, and the attempt is on record', async () => {
    const body = { ...policy, expectedVersion: await newest() };
    for (const person of ['service', 'agent', 'reviewer1', 'lead'] as const) {
      expectProblem(await stack.as(person).call('POST', '/v1/policies', body), 403, 'forbidden');
      expectProblem(await stack.as(person).call('POST', '/v1/policies/check', policy), 403, 'forbidden');
      expect((await audited()).at(-1)).toMatchObject({
        actor: person,
        event: 'policy_refused',
        reason: 'forbidden',
      });
    }
  });

  test('R38: a version of another tenant is an unknown one, byte for byte', async () => {
    await publish({ version: 'globex-only' }, 'globex');
    const foreign = await admin().call('GET', '/v1/policies/globex-only');
    expectProblem(foreign, 404, 'not_found');
    expect(bytesOf(foreign)).toBe(bytesOf(await admin().call('GET', '/v1/policies/nobodys-one')));
    expect((await admin('globex').call('GET', '/v1/policies/globex-only')).status).toBe(200);
  });

  test('R42: a check says what is wrong, what each example comes to, and what would change, and publishes nothing', async () => {
    const before = await newest();
    const wrong = await admin().call(
      'POST',
      '/v1/policies/check',
      withRule('permit (principal, action, resource);'),
    );
    expect(wrong.body).toMatchObject({ ok: false, problems: [{ where: 'rules', line: expect.any(Number) }] });
    const table = { ...document, tiers: { ...document.tiers, USD: [{ approvers: 2 }] } };
    const stricter = await admin().call('POST', '/v1/policies/check', {
      ...withRule('@id("more") permit (principal in Group::"auditors", action == Action::"view", resource);'),
      table,
    });
    expect(stricter.status).toBe(200);
    expect(stricter.body).toMatchObject({ ok: false, problems: [] });
    expect(stricter.body.changes).toEqual([
      expect.stringMatching(/^USD: any amount 2 approvers; was up to 50.00 automatic/),
      'rule more: new; it permits',
    ]);
    expect(stricter.body.changedAnswers).toContainEqual({
      case: 'up to 50.00 nobody is asked',
      before: 'automatic',
      after: '2 votes',
    });
    expect(await newest()).toBe(before);
  });

  test('lists page by page, newest first', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await admin().call(
        'GET',
        `/v1/policies?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...(page.body.items as { version: string }[]).map(({ version }) => version));
      cursor = page.body.nextCursor as string | null;
    }
    expect(seen.at(-1)).toBe(seeded);
    expect(new Set(seen).size).toBe(seen.length);
    expectProblem(await admin().call('GET', '/v1/policies?cursor=x'), 422, 'invalid_request');
  });
});

describe('what a published policy does at the doors', () => {
  test('R23: who may propose, see, cancel and hold back refunds is what the newest version says, at once', async () => {
    const service = stack.as('service', 'globex');
    const agent = stack.as('agent', 'globex');
    const charge = await stack.provider.charge(50_000);
    const started = await service.startRefund({ paymentId: charge, amount: '20.00' });
    expect(started.status).toBe(202);
    const { runId } = started.body as { runId: string };
    expect((await agent.call('GET', `/v1/refunds/${runId}`)).status).toBe(200);

    const rules = `
@id("agents-propose-little") @says("an agent proposes up to 10.00")
forbid (principal is Agent, action == Action::"propose", resource) when { resource.amount > 1000 };
@id("agents-see-their-own")
forbid (principal is Agent, action == Action::"view", resource is Refund) when { resource.requester != principal.id };
@id("nobody-cancels")
forbid (principal is Service, action == Action::"cancel", resource);
@id("approvers-pull-the-brake")
permit (principal in Group::"approvers", action == Action::"manage", resource == Setting::"brake");
`;
    const cases = { people: {}, cases: [{ case: 'c', amount: '1.00 USD', then: 'automatic' as const }] };
    expect((await publish({ ...withRule(rules), cases }, 'globex')).status).toBe(201);

    const tooMuch = await agent.startRefund({ paymentId: charge, amount: '10.01' });
    expectProblem(tooMuch, 403, 'forbidden');
    expect(tooMuch.body.detail).toBe('an agent proposes up to 10.00');
    const own = await agent.startRefund({ paymentId: charge, amount: '10.00' });
    expect(own.status).toBe(202);
    for (const path of ['', '/timeline', '/events'])
      expectProblem(await agent.call('GET', `/v1/refunds/${runId}${path}`), 403, 'forbidden');
    const { body: list } = await agent.call('GET', '/v1/refunds');
    expect((list.items as { runId: string }[]).map((item) => item.runId)).toEqual([own.body.runId]);
    expectProblem(await service.call('POST', `/v1/refunds/${runId}/cancel`), 403, 'forbidden');
    const brake = await stack
      .as('reviewer1', 'globex')
      .call('POST', '/v1/brake', { engaged: true, reason: 'looks odd' });
    expect([brake.status, brake.body.engaged.actor]).toEqual([200, 'reviewer1']);
    // Nothing of it in the other tenant.
    expectProblem(
      await stack.as('reviewer1').call('POST', '/v1/brake', { engaged: true, reason: 'x' }),
      403,
      'forbidden',
    );
  });
});

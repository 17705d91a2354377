import { scopesFor } from '../../src/http/scopes';
import { isTokenFormed } from '../../src/domain/access/apiToken';
import { apiCaller } from '../support/api';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { changesOf, secondAdministrator, somebody } from './adminFixture';
import { expectProblem } from './doorFixture';
import { EventStream } from './eventStream';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const admin = () => stack.as('admin');
const bearing = (token: string) => apiCaller(stack.apiUrl, token);
interface Minted {
  readonly token: string;
  readonly key: { readonly id: string; readonly state: string; readonly expiresAt: string | null };
}

async function created(body: object): Promise<Minted> {
  const made = await admin().call('POST', '/v1/admin/keys', body);
  expect({ status: made.status, text: made.text }).toEqual({ status: 201, text: expect.any(String) });
  return made.body as Minted;
}

let names = 0;
const serviceKey = (more: object = {}) =>
  created({ person: 'service', name: `n${(names += 1)}`, scopes: ['refunds:read'], ...more });

describe('API keys', () => {
  test('are told once: neither an answer, the log nor the database has a token afterwards', async () => {
    const { token, key } = await serviceKey();
    expect(isTokenFormed(token)).toBe(true);
    expect((await bearing(token).call('GET', '/v1/self')).body).toMatchObject({
      tenant: 'acme',
      id: 'service',
      key: { id: key.id, scopes: ['refunds:read'] },
    });
    const shown = [
      (await admin().call('GET', '/v1/admin/keys')).text,
      (await admin().call('GET', '/v1/audit?run=tenant/acme&limit=200')).text,
      JSON.stringify(await query(stack.database.adminUrl, 'select * from api_keys')),
    ];
    for (const text of shown) expect(text).not.toContain(token.slice(3, -6));
    expect(shown[0]).toContain(key.id);
  });

  test('their use is told by the hour', async () => {
    const { token, key } = await serviceKey();
    const used = async () =>
      (await admin().call('GET', `/v1/admin/keys/${key.id}`)).body.lastUsedAt as string | null;
    expect(await used()).toBeNull();
    await bearing(token).call('GET', '/v1/self');
    expect(await used()).toMatch(/:00:00\.000Z$/);
  });

  test('R29: a key that is revoked opens nothing from the next call on, and not again', async () => {
    const { token, key } = await serviceKey();
    expect((await bearing(token).call('GET', '/v1/refunds')).status).toBe(200);
    const revoke = () => admin().call('POST', `/v1/admin/keys/${key.id}/revoke`, { reason: 'leaked' });
    expect((await revoke()).body).toMatchObject({ state: 'revoked' });
    for (const path of ['/v1/refunds', '/v1/self', '/v1/approvals', '/v1/admin/people'])
      expectProblem(await bearing(token).call('GET', path), 401, 'unauthenticated');
    expect((await revoke()).status).toBe(200);
    expect((await changesOf(stack)).filter((row) => row.reason === 'leaked')).toHaveLength(1);
    const rotate = await admin().call('POST', `/v1/admin/keys/${key.id}/rotate`, {});
    expectProblem(rotate, 409, 'key_ended');
  });

  test('R29: a live view ends when its key does', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    const { token, key } = await serviceKey();
    const stream = await EventStream.open(`${stack.apiUrl}/v1/refunds/${runId}/events`, token);
    await stream.until((events) => events.length > 0);
    expect(stream.ended).toBe(false);
    await admin().call('POST', `/v1/admin/keys/${key.id}/revoke`, { reason: 'over' });
    await stream.end();
  });

  test('R29: whoever is deactivated is out at every door at once, and in again when he is activated', async () => {
    const who = await somebody(stack, ['proposers'], ['refunds:read', 'refunds:propose']);
    const change = async (active: boolean) => {
      const { version } = (await admin().call('GET', `/v1/admin/people/${who.id}`)).body as {
        version: number;
      };
      return admin().call('PATCH', `/v1/admin/people/${who.id}`, { version, active });
    };
    expect((await who.as.call('GET', '/v1/refunds')).status).toBe(200);
    expect((await change(false)).status).toBe(200);
    expectProblem(await who.as.call('GET', '/v1/refunds'), 401, 'unauthenticated');
    expectProblem(await who.as.call('GET', '/v1/self'), 401, 'unauthenticated');
    await change(true);
    expect((await who.as.call('GET', '/v1/refunds')).status).toBe(200);
  });

  test('rotate with an overlap, after which only the new one opens; without one the old ends at once', async () => {
    const first = await serviceKey();
    const rotate = (id: string, body: object) => admin().call('POST', `/v1/admin/keys/${id}/rotate`, body);
    const next = await rotate(first.key.id, { overlapHours: 1 });
    expect([next.status, isTokenFormed(next.body.token as string)]).toEqual([201, true]);
    const both = [first.token, next.body.token as string];
    for (const token of both) expect((await bearing(token).call('GET', '/v1/refunds')).status).toBe(200);
    expectProblem(await rotate(first.key.id, {}), 409, 'key_ended');
    await query(stack.database.adminUrl, `update api_keys set expires_at = now() where id = $1`, [
      first.key.id,
    ]);
    expectProblem(await bearing(first.token).call('GET', '/v1/refunds'), 401, 'unauthenticated');
    const last = await rotate((next.body as Minted).key.id, { overlapHours: 0 });
    expectProblem(await bearing(both[1] ?? '').call('GET', '/v1/refunds'), 401, 'unauthenticated');
    expect((await bearing(last.body.token as string).call('GET', '/v1/refunds')).status).toBe(200);
  });

  test('whoever holds a key changes its token himself; it does not live longer for that', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { token, key } = await serviceKey({ expiresAt });
    const own = await bearing(token).call('POST', '/v1/self/rotate', { overlapHours: 0 });
    expect([own.status, own.body.key.expiresAt, own.body.key.createdBy]).toEqual([
      201,
      key.expiresAt,
      'service',
    ]);
    expectProblem(await bearing(token).call('GET', '/v1/self'), 401, 'unauthenticated');
    expect((await bearing(own.body.token as string).call('GET', '/v1/self')).status).toBe(200);
  });

  test('expired, mistyped, cut and made-up tokens are all the same 401', async () => {
    const { token, key } = await serviceKey({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    await query(stack.database.adminUrl, `update api_keys set expires_at = now() where id = $1`, [key.id]);
    const typo = `${token.slice(0, 10)}${token[10] === 'a' ? 'b' : 'a'}${token.slice(11)}`;
    for (const wrong of [token, typo, token.slice(0, -1), 'cs_', `cs_${'a'.repeat(46)}`])
      expectProblem(await bearing(wrong).call('GET', '/v1/self'), 401, 'unauthenticated');
    const past = {
      person: 'service',
      name: 'past',
      scopes: ['refunds:read'],
      expiresAt: '2020-01-01T00:00:00Z',
    };
    expectProblem(await admin().call('POST', '/v1/admin/keys', past), 422, 'invalid_request');
  });

  test('a second key of one name is a conflict, so a lost answer leaves no key that nobody knows of', async () => {
    const body = { person: 'agent', name: 'once', scopes: ['refunds:read'] };
    const { key } = await created(body);
    const again = await admin().call('POST', '/v1/admin/keys', body);
    expectProblem(again, 409, 'already_exists');
    expect(again.body.detail).toContain(key.id);
  });
});

describe('scopes', () => {
  test('every documented call has a scope, or is for any key', async () => {
    const { body } = await admin().call('GET', '/openapi.json');
    for (const [path, methods] of Object.entries(body.paths as Record<string, object>)) {
      if (!path.startsWith('/v1/') || path.startsWith('/v1/webhooks')) continue;
      for (const method of Object.keys(methods))
        expect({ path, method, known: scopesFor(method.toUpperCase(), path) !== undefined }).toEqual({
          path,
          method,
          known: true,
        });
    }
  });

  test('a key opens what its scopes name and nothing else, and the refusal says which is wanted', async () => {
    const { token } = await serviceKey();
    const reader = bearing(token);
    expect((await reader.call('GET', '/v1/refunds')).status).toBe(200);
    const charge = await stack.provider.charge(10_000);
    const propose = await reader.startRefund({ paymentId: charge, amount: '10.00' });
    expectProblem(propose, 403, 'insufficient_scope');
    expect(propose.body.needed).toEqual(['refunds:propose']);
    expect(propose.headers.get('www-authenticate')).toContain('scope="refunds:propose"');
    for (const [method, path] of [
      ['GET', '/v1/approvals'],
      ['POST', '/v1/approvals/apr_1/decisions'],
      ['POST', '/v1/refunds/run_1/review'],
      ['POST', '/v1/brake'],
      ['GET', '/v1/memories'],
      ['GET', '/v1/admin/people'],
    ] as const)
      expectProblem(await reader.call(method, path), 403, 'insufficient_scope');
    expectProblem(await reader.call('GET', '/v1/nothing'), 404, 'not_found');
    expectProblem(await stack.as('service').call('GET', '/v1/nothing'), 404, 'not_found');
  });

  test.each(['approvals:decide', 'refunds:review', 'admin', '*', 'refunds'])(
    'R23: a service is given no %s',
    async (scope) => {
      const body = { person: 'service', name: 'too-much', scopes: [scope] };
      expectProblem(await admin().call('POST', '/v1/admin/keys', body), 422, 'invalid_request');
    },
  );

  test('R23: admin is a scope of administrators alone', async () => {
    const body = { person: 'reviewer1', name: 'too-much', scopes: ['admin'] };
    expectProblem(await admin().call('POST', '/v1/admin/keys', body), 422, 'invalid_request');
  });
});

describe('keys that speak for people who decide', () => {
  test('R23: an administrator does not approve by a key that he makes for an approver', async () => {
    const charge = await stack.provider.charge(20_000);
    const open = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    const { token, key } = await created({
      person: 'reviewer1',
      name: 'taken',
      scopes: ['approvals:read', 'approvals:decide'],
    });
    expect(key.state).toBe('unconfirmed');
    expectProblem(await bearing(token).decide(open, 'approve'), 401, 'unauthenticated');
    const confirm = (by: ReturnType<typeof admin>) => by.call('POST', `/v1/admin/keys/${key.id}/confirm`);
    expectProblem(await confirm(admin()), 403, 'separation_of_duties');
    expectProblem(await bearing(token).decide(open, 'approve'), 401, 'unauthenticated');

    const second = await secondAdministrator(stack);
    expect((await confirm(second.as)).body).toMatchObject({ state: 'active', confirmedBy: second.id });
    expect((await bearing(token).decide(open, 'approve')).status).toBe(200);
    // Rotated by an administrator, he has seen the token, and it waits again.
    const rotated = await admin().call('POST', `/v1/admin/keys/${key.id}/rotate`, {});
    expect(rotated.body.key.state).toBe('unconfirmed');
  });

  test('R23: an administrator who has a second one does not make himself a key of that one', async () => {
    const second = await secondAdministrator(stack);
    const { key, token } = await created({ person: second.id, name: 'taken', scopes: ['admin'] });
    expect(key.state).toBe('unconfirmed');
    expectProblem(await bearing(token).call('GET', '/v1/admin/people'), 401, 'unauthenticated');
    expectProblem(
      await admin().call('POST', `/v1/admin/keys/${key.id}/confirm`),
      403,
      'separation_of_duties',
    );
  });
});

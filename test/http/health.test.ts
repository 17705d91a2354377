import { claimPort } from '../../src/sandbox/embedded/freePort';
import { apiCaller } from '../support/api';
import { answers, startProcess, type TestProcess } from '../support/processes';
import { signingKey, testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
});
afterAll(() => stack.stop());

/** An API process of its own with something it needs on a port where nobody listens. */
async function apiWithout(
  missing: (port: number) => Record<string, string>,
  work: (url: string, process: TestProcess) => Promise<void>,
): Promise<void> {
  const [port, nobody] = [await claimPort(), await claimPort()];
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...stack.env,
    COUNTERSIGN_HTTP_PORT: String(port),
    COUNTERSIGN_SIGNING_KEY: signingKey,
    COUNTERSIGN_HASH_KEY: 'hash-key-for-tests-only',
    ...missing(nobody),
  };
  const api = await startProcess(['api'], env, () => answers(`${url}/healthz`));
  try {
    await work(url, api);
  } finally {
    await api.kill();
  }
}

const withoutDatabase = (port: number) => {
  const url = new URL(stack.database.url);
  url.port = String(port);
  return { DATABASE_URL: url.href };
};

describe('health', () => {
  test('everything there: both answer 200, to anybody', async () => {
    const anybody = apiCaller(stack.apiUrl, undefined);
    const health = await anybody.call('GET', '/healthz');
    expect([health.status, health.body]).toEqual([200, { status: 'ok', version: expect.any(String) }]);
    const ready = await anybody.call('GET', '/readyz');
    expect([ready.status, ready.body]).toEqual([
      200,
      { status: 'ok', checks: { database: 'ok', temporal: 'ok' } },
    ]);
  });

  test('R32: without its database it lives, is not ready, says which part is missing and nothing of where it is', async () => {
    await apiWithout(withoutDatabase, async (url, api) => {
      const caller = apiCaller(url, testTokens.acme.service);
      const ready = await caller.call('GET', '/readyz');
      expect([ready.status, ready.body]).toEqual([
        503,
        { status: 'unavailable', checks: { database: 'does not answer (ECONNREFUSED)', temporal: 'ok' } },
      ]);
      for (const secret of ['127.0.0.1', new URL(stack.database.url).password]) {
        expect(ready.text).not.toContain(secret);
      }
      expect((await caller.call('GET', '/healthz')).status).toBe(200);
      const refused = await caller.call('GET', '/v1/refunds');
      expectProblem(refused, 503, 'dependency_unavailable');
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(api.alive()).toBe(true);
    });
  });

  test('R32: without Temporal it is not ready, and still takes refunds in and shows them', async () => {
    await apiWithout(
      (port) => ({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }),
      async (url) => {
        const caller = apiCaller(url, testTokens.acme.service);
        const ready = await caller.call('GET', '/readyz');
        expect([ready.status, ready.body.checks.database]).toEqual([503, 'ok']);
        expect(ready.body.checks.temporal).toMatch(/^does not answer/);
        const paymentId = await stack.provider.charge(20_000);
        const started = await caller.startRefund({ paymentId, amount: '120.00' });
        expect(started.status).toBe(202);
        expect((await caller.refund(started.body.runId as string)).phase).toBe('validating');
      },
    );
  });

  test('what is not there is a problem too, and every answer forbids keeping it', async () => {
    const caller = stack.as('service');
    expectProblem(await caller.call('GET', '/v1/nothing'), 404, 'not_found');
    expectProblem(await caller.call('PUT', '/v1/refunds'), 405, 'method_not_allowed');
    expectProblem(await apiCaller(stack.apiUrl, undefined).call('GET', '/nothing'), 404, 'not_found');
    expectProblem(
      await apiCaller(stack.apiUrl, undefined).call('GET', '/v1/nothing'),
      401,
      'unauthenticated',
    );
    const { headers } = await caller.call('GET', '/v1/refunds');
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
  });

  test('R39: a token is refused in whatever form it is not one, and never repeated', async () => {
    const token = testTokens.acme.service;
    for (const authorization of [
      token,
      `Bearer ${token}x`,
      `Bearer  ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token},${token}`,
      'Bearer',
      `Bearer ${'t'.repeat(513)}`,
      `Basic ${Buffer.from(`:${token}`).toString('base64')}`,
    ]) {
      const refused = await apiCaller(stack.apiUrl, undefined).call('GET', '/v1/refunds', undefined, {
        authorization,
      });
      expectProblem(refused, 401, 'unauthenticated');
      expect(refused.text).not.toContain(token);
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});

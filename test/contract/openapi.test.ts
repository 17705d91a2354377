import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { errorCatalogue } from '../../src/domain/errors';
import { openApiFile, openApiText, unconnectedApi } from '../../src/main/writeOpenApi';
import type { Answer } from '../support/api';
import { TestStack } from '../support/stack';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is whatever it is
type Json = Record<string, any>;
const document = JSON.parse(openApiText()) as Json;

/** `[method, path, operation]` of everything that is documented. */
const operations = Object.entries(document['paths'] as Json).flatMap(([path, methods]) =>
  Object.entries(methods as Json).map(
    ([method, operation]) => [method.toUpperCase(), path, operation as Json] as const,
  ),
);

function* nodes(node: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [path, node];
  for (const [key, value] of Object.entries(node)) yield* nodes(value, `${path}/${key}`);
}

describe('the OpenAPI document', () => {
  test('docs/openapi.json is what the code says; if not: npm run build && npm run openapi', () => {
    expect(existsSync(openApiFile)).toBe(true);
    expect(JSON.parse(readFileSync(openApiFile, 'utf8'))).toEqual(document);
    expect(readFileSync(openApiFile, 'utf8')).toBe(openApiText());
  });

  test('everything served is documented, and everything documented is served', () => {
    const served = unconnectedApi()
      .routes.filter((route) => route.method !== 'ALL')
      .map((route) => `${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`);
    const documented = operations.map(([method, path]) => `${method} ${path}`);
    expect(new Set(served.filter((route) => route !== 'GET /openapi.json'))).toEqual(new Set(documented));
    expect(documented).toHaveLength(new Set(documented).size);
  });

  test('has the shape that OpenAPI 3.1 asks for', () => {
    expect(document['openapi']).toBe('3.1.0');
    expect(document['info']).toMatchObject({
      title: 'Countersign',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const ids = operations.map(([, , { operationId }]) => operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [method, path, operation] of operations) {
      const call = `${method} ${path}`;
      expect({ call, id: operation['operationId'], summary: operation['summary'] }).toEqual({
        call,
        id: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        summary: expect.stringMatching(/\S/),
      });
      const parameters = (operation['parameters'] ?? []) as Json[];
      const inPath = parameters.filter((p) => p['in'] === 'path').map((p) => p['name'] as string);
      expect({ call, inPath: inPath.sort() }).toEqual({
        call,
        inPath: [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]).sort(),
      });
      for (const p of parameters) {
        expect({ call, p: p['name'], schema: typeof p['schema'] }).toMatchObject({ schema: 'object' });
        if (p['in'] === 'path') expect(p['required']).toBe(true);
      }
      const responses = Object.entries(operation['responses'] as Json);
      expect(responses.some(([status]) => /^2\d\d$/.test(status))).toBe(true);
      for (const [status, response] of responses) {
        expect({ call, status: /^(default|[1-5]\d\d)$/.test(status) }).toEqual({ call, status: true });
        expect((response as Json)['description']).toMatch(/\S/);
      }
    }
  });

  test('every reference leads somewhere, and every schema uses words of JSON Schema alone', () => {
    for (const [path, node] of nodes(document)) {
      const ref: unknown = node['$ref'];
      if (typeof ref === 'string') {
        const target = ref
          .split('/')
          .slice(1)
          .reduce<Json | undefined>((at, key) => at?.[key] as Json, document);
        expect({ path, ref, found: target !== undefined }).toEqual({ path, ref, found: true });
      }
      // Words of OpenAPI 3.0 that 3.1 does not know any more.
      expect({ path, old: 'nullable' in node && typeof node['nullable'] === 'boolean' }).toEqual({
        path,
        old: false,
      });
      if (typeof node['exclusiveMinimum'] === 'boolean') throw new Error(`${path}: exclusiveMinimum of 3.0`);
    }
  });

  test('R38: every call under /v1 asks for a bearer token and says what 401 looks like, but for signed events; no other does', () => {
    for (const [method, path, operation] of operations) {
      const guarded = path.startsWith('/v1/') && !path.startsWith('/v1/webhooks/');
      expect({ call: `${method} ${path}`, security: operation['security'] }).toEqual({
        call: `${method} ${path}`,
        security: guarded ? [{ bearer: [] }] : undefined,
      });
      expect('401' in (operation['responses'] as Json)).toBe(guarded);
    }
    expect(document['components'].securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer' });
  });

  test('R14: a problem has one of the codes of the catalogue', () => {
    expect(document['components'].schemas.Problem.properties.code.enum).toEqual(Object.keys(errorCatalogue));
  });
});

/** The document's schemas, closed: a field that is not documented is one too many. */
function schemaOf(method: string, path: string, { status, headers }: Answer): z.ZodType {
  const operation = (document['paths'] as Json)[path][method.toLowerCase()] as Json;
  const response = operation['responses'][status] as Json | undefined;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const schema = (response?.['content'] as Json | undefined)?.[type]?.schema as Json | undefined;
  if (!schema) throw new Error(`${method} ${path} does not document ${status} ${type}`);
  const text = JSON.stringify({ ...schema, $defs: document['components'].schemas });
  const whole = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as Json;
  for (const [, node] of nodes(whole)) {
    if (node['type'] === 'object' && node['properties'] && !('additionalProperties' in node)) {
      node['additionalProperties'] = false;
    }
  }
  return z.fromJSONSchema(whole);
}

describe('what is really answered', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  async function call(
    who: Parameters<TestStack['as']>[0],
    method: string,
    path: string,
    ids: Record<string, string> = {},
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    const answer = await stack.as(who).call(method, url, body, headers);
    const checked = schemaOf(method, path, answer).safeParse(answer.body);
    expect({ call: `${method} ${path} ${answer.status}`, issues: checked.error?.issues ?? [] }).toEqual({
      call: `${method} ${path} ${answer.status}`,
      issues: [],
    });
    return answer;
  }

  test('fits the document, on the whole way of a refund and on its refusals', async () => {
    const paymentId = await stack.provider.charge(100_000, 'usd', { customer: 'cus_1' });
    const body = {
      paymentId,
      amount: { value: '120.00', currency: 'USD' },
      reason: 'damaged',
      note: 'torn',
      orderId: 'o-1',
      evidence: [{ label: 'photo', url: 'https://example.com/p' }],
    };
    const key = { 'idempotency-key': randomUUID() };
    const started = await call('service', 'POST', '/v1/refunds', {}, body, key);
    const { runId } = started.body as { runId: string };
    await stack.as('service').untilPhase(runId, 'waiting_approval');
    const ids = { runId, id: runId.replace('run_', 'apr_') };
    await call('service', 'GET', '/v1/refunds/{runId}', ids);
    const { body: approval } = await call('reviewer1', 'GET', '/v1/approvals/{id}', ids);
    const { proposalHash } = approval as { proposalHash: string };
    await call('reviewer1', 'POST', '/v1/approvals/{id}/signatures', ids, {
      decision: 'approve',
      proposalHash,
    });
    const edit = {
      decision: 'edit',
      proposalHash,
      arguments: { amount: { value: '110.00', currency: 'USD' } },
    };
    await call('reviewer1', 'POST', '/v1/approvals/{id}/decisions', ids, edit);
    await stack.as('service').untilPhase(runId, 'completed');
    for (const [method, path] of [
      ['GET', '/v1/refunds/{runId}'],
      ['GET', '/v1/refunds/{runId}/timeline'],
      ['GET', '/v1/refunds'],
      ['GET', '/v1/approvals/{id}'],
      ['GET', '/v1/approvals'],
      ['GET', '/healthz'],
      ['GET', '/readyz'],
      ['GET', '/v1/policies'],
    ] as const) {
      expect((await call('service', method, path, ids)).status).toBe(200);
    }
    const order = {
      orderId: 'o-2',
      amount: { value: '14.90', currency: 'USD' },
      reason: 'damaged',
    };
    const lined = {
      ...order,
      paymentId,
      lines: [{ lineId: 'sku', quantity: 1, of: { quantity: 2, amount: { value: '20', currency: 'USD' } } }],
      shipping: { of: { value: '4.90', currency: 'USD' } },
    };
    const linedRun = await call('service', 'POST', '/v1/refunds', {}, lined, {
      'idempotency-key': randomUUID(),
    });
    await call('service', 'GET', '/v1/refunds/{runId}', {
      runId: (linedRun.body as { runId: string }).runId,
    });
    const splitKey = { 'idempotency-key': randomUUID() };
    const splitting = { ...order, payments: [{ paymentId }] };
    const split = await call('service', 'POST', '/v1/refunds/split', {}, splitting, splitKey);
    const { splitId } = split.body as { splitId: string };
    await call('service', 'GET', '/v1/refunds/split/{splitId}', { splitId });
    await call('service', 'GET', '/v1/refunds/split/{splitId}', { splitId: 'spl_x' });
    await call('service', 'POST', '/v1/refunds/split', {}, { ...splitting, lines: [] }, splitKey);
    const unknown = { runId: 'run_x', id: 'apr_x' };
    const refused = [
      await call('service', 'POST', '/v1/refunds', {}, body),
      await call('service', 'POST', '/v1/refunds', {}, { ...body, extra: 1 }, key),
      await call('service', 'POST', '/v1/refunds', {}, { ...body, note: 'other' }, key),
      await call('admin', 'POST', '/v1/refunds', {}, body, key),
      await call('service', 'POST', '/v1/refunds', {}, body, { ...key, authorization: 'Bearer x' }),
      await call('service', 'POST', '/v1/refunds', {}, body, { ...key, 'content-type': 'text/plain' }),
      await call('service', 'POST', '/v1/refunds', {}, 'b'.repeat(70_000), key),
      await call('service', 'GET', '/v1/refunds/{runId}', unknown),
      await call('service', 'GET', '/v1/refunds/{runId}/events', unknown),
      await call('service', 'POST', '/v1/refunds/{runId}/cancel', ids),
      await call('reviewer1', 'POST', '/v1/approvals/{id}/decisions', ids, edit),
      await call('reviewer2', 'POST', '/v1/approvals/{id}/decisions', ids, edit),
    ].map((answer) => answer.status);
    expect(refused).toEqual([400, 422, 409, 403, 401, 415, 413, 404, 404, 409, 200, 409]);
  });

  test('fits the document where a run ends otherwise, and where no worker is up', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const open = await stack.as('service').openApproval({ paymentId, amount: '120.00' });
    const reject = { decision: 'reject', proposalHash: open.proposalHash, comment: 'no' };
    await call('lead', 'POST', '/v1/approvals/{id}/decisions', { id: open.id }, reject);
    await stack.as('service').untilPhase(open.runId, 'rejected');
    await call('service', 'GET', '/v1/refunds/{runId}', { runId: open.runId });

    const [vote, cancel] = [
      await stack.as('service').openApproval({ paymentId, amount: '130.00' }),
      await stack.as('service').openApproval({ paymentId, amount: '140.00' }),
    ];
    await stack.killWorkers();
    const approve = { decision: 'approve', proposalHash: vote.proposalHash };
    const recorded = await call('lead', 'POST', '/v1/approvals/{id}/decisions', { id: vote.id }, approve);
    const owed = await call('service', 'POST', '/v1/refunds/{runId}/cancel', { runId: cancel.runId });
    expect([recorded.status, owed.status]).toEqual([202, 202]);
  });

  test('the document that is served is the one in docs', async () => {
    const served = await stack.as('service').call('GET', '/openapi.json');
    expect(served.body).toEqual(document);
  });
});

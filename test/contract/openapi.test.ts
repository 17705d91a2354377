import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openApiText } from '../../src/main/writeOpenApi';
import type { Answer } from '../support/api';
import { TestStack } from '../support/stack';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a document is whatever it is
type Json = Record<string, any>;
const document = JSON.parse(openApiText()) as Json;

function* nodes(node: unknown, path = '#'): Generator<[string, Json]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [path, node];
  for (const [key, value] of Object.entries(node)) yield* nodes(value, `${path}/${key}`);
}

/** The document's schemas, closed: a field that is not documented is one too many. */
function schemaOf(method: string, path: string, { status, headers }: Answer): z.ZodType {
  const operation = (document['paths'] as Json)[path][method.toLowerCase()] as Json;
  const named = operation['responses'][status] as Json | undefined;
  const component = (named?.['$ref'] as string | undefined)?.split('/').at(-1);
  const response = component === undefined ? named : (document['components'].responses[component] as Json);
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
    const many = [ids.id, 'apr_x'].map((approvalId) => ({ approvalId, proposalHash }));
    await call('lead', 'POST', '/v1/approvals/decisions', {}, { decision: 'reject', items: many });
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

  test('another method than an address has is 405, which names those that it has; 401 comes first', async () => {
    const asked = async (method: string, path: string, headers: Record<string, string> = {}) => {
      const { status, headers: answered } = await stack.as('service').call(method, path, undefined, headers);
      return [status, answered.get('allow')];
    };
    expect(await asked('PUT', '/v1/refunds')).toEqual([405, 'GET, HEAD, POST']);
    // Not what `/v1/refunds/{runId}` has.
    expect(await asked('DELETE', '/v1/refunds/split')).toEqual([405, 'POST']);
    expect(await asked('POST', '/healthz')).toEqual([405, 'GET, HEAD']);
    expect(await asked('PUT', '/v1/refunds', { authorization: 'Bearer x' })).toEqual([401, null]);
    expect(await asked('PUT', '/v1/refund')).toEqual([404, null]);
  });

  test('R34: a version that no row can have is 422, whatever it is a version of', async () => {
    const versions = [2_147_483_647, 7_838_740_532_683];
    const changes = versions.flatMap(
      (version) =>
        [
          ['PATCH', '/v1/admin/tenant', { name: 'Acme', version }],
          ['PATCH', '/v1/admin/people/lead', { displayName: 'Lead', version }],
          ['PATCH', '/v1/admin/groups/finance-lead', { description: 'd', version }],
          ['DELETE', `/v1/admin/groups/finance-lead?version=${version}`, undefined],
          ['PATCH', '/v1/admin/retention', { runDays: 30, version }],
        ] as const,
    );
    const answers = await Promise.all(
      changes.map(([method, path, body]) => stack.as('admin').call(method, path, body)),
    );
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 422));
  });

  test('the document that is served is the one in docs', async () => {
    const served = await stack.as('service').call('GET', '/openapi.json');
    expect(served.body).toEqual(document);
  });
});

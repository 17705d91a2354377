import { randomUUID } from 'node:crypto';
import type { ApprovalView, RefundView } from '../../src/application/views';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';

let stack: TestStack;
let approval: ApprovalView;
let charge: string;
beforeAll(async () => {
  stack = await TestStack.start();
  charge = await stack.provider.charge(100_000);
  approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
});
afterAll(() => stack.stop());

const hash = 'f'.repeat(64);
type Call = [method: string, path: (ids: { run: string; approval: string }) => string, body?: unknown];
const decision = { decision: 'approve', proposalHash: hash };

/** Every call that takes an id. */
const calls: Call[] = [
  ['GET', ({ run }) => `/v1/refunds/${run}`],
  ['GET', ({ run }) => `/v1/refunds/${run}/timeline`],
  ['GET', ({ run }) => `/v1/refunds/${run}/events`],
  ['GET', ({ run }) => `/v1/refunds/${run}/states`],
  ['GET', ({ run }) => `/v1/refunds/${run}/states/difference?from=1&to=2`],
  ['POST', ({ run }) => `/v1/refunds/${run}/fork`, {}],
  ['POST', ({ run }) => `/v1/refunds/${run}/cancel`],
  ['POST', ({ run }) => `/v1/refunds/${run}/review`, { action: 'retry' }],
  ['POST', ({ run }) => `/v1/refunds/${run}/review`, 'not JSON'],
  ['GET', ({ approval: id }) => `/v1/approvals/${id}`],
  ['POST', ({ approval: id }) => `/v1/approvals/${id}/decisions`, decision],
  ['POST', ({ approval: id }) => `/v1/approvals/${id}/decisions`, 'not JSON'],
  ['POST', ({ approval: id }) => `/v1/approvals/${id}/signatures`, decision],
  ['POST', ({ approval: id }) => `/v1/approvals/${id}/signatures`, {}],
];

describe("another tenant's id", () => {
  test('R38: every call on an id is in this test', async () => {
    const { body } = await stack.as('service').call('GET', '/openapi.json');
    const documented = Object.entries(body.paths as Record<string, object>)
      .filter(([path]) => /^\/v1\/(refunds|approvals)\/\{/.test(path))
      .flatMap(([path, methods]) => Object.keys(methods).map((m) => `${m.toUpperCase()} ${path}`));
    const here = calls.map(([m, path]) => `${m} ${path({ run: '{runId}', approval: '{id}' }).split('?')[0]}`);
    expect(new Set(here)).toEqual(new Set(documented));
  });

  test.each(['reviewer1', 'lead', 'admin', 'service', 'agent'] as const)(
    'R38: to %s it is the same bytes as an unknown one, on every call',
    async (person) => {
      const globex = stack.as(person, 'globex');
      const foreign = { run: approval.runId, approval: approval.id };
      const unknown = { run: `run_${'0'.repeat(32)}`, approval: `apr_${'0'.repeat(32)}` };
      for (const [method, path, body] of calls) {
        const [theirs, nobodys] = [
          await globex.call(method, path(foreign), body),
          await globex.call(method, path(unknown), body),
        ];
        expectProblem(theirs, 404, 'not_found');
        expect(bytesOf(theirs)).toBe(bytesOf(nobodys));
        // The same call is none of the unknown to the tenant whose id it is.
        if (method === 'GET') {
          const own = await fetch(`${stack.apiUrl}${path(foreign)}`, {
            headers: { authorization: `Bearer ${tokenOf(person)}` },
          });
          expect(own.status).toBe(200);
          await own.body?.cancel();
        }
      }
    },
  );

  test.each([
    '%00',
    'run_%2500',
    '%',
    '%2e%2e',
    'run_%F0%28',
    "run_'; select 1 --",
    'r'.repeat(4_000),
    '{runId}',
  ])('R41: the id %s is as unknown as any other', async (id) => {
    const answer = await stack.as('service').call('GET', `/v1/refunds/${id}`);
    expectProblem(answer, 404, 'not_found');
    expectProblem(await stack.as('service').call('GET', `/v1/approvals/${id}`), 404, 'not_found');
  });

  test('R38: nothing that a request says chooses the tenant', async () => {
    const globex = stack.as('service', 'globex');
    for (const headers of [
      { 'x-tenant': 'acme' },
      { 'countersign-tenant': 'acme' },
      { host: 'acme.example' },
    ]) {
      expectProblem(
        await globex.call('GET', `/v1/refunds/${approval.runId}?tenant=acme`, undefined, headers),
        404,
        'not_found',
      );
    }
    const body = {
      paymentId: charge,
      amount: { value: '1', currency: 'USD' },
      reason: 'damaged',
      tenant: 'acme',
    };
    const answer = await globex.call('POST', '/v1/refunds', body, { 'idempotency-key': randomUUID() });
    expectProblem(answer, 422, 'invalid_request');
  });
});

describe('what two tenants share', () => {
  test('R38: a payment that one has claimed is unknown to the other, in the same bytes as one that nobody has', async () => {
    const globex = stack.as('service', 'globex');
    const theirs = await globex.startRefund({ paymentId: charge, amount: '10.00' });
    expectProblem(theirs, 422, 'payment_unknown');
    for (const unknown of ['ch_nobody', 'pi_nobody']) {
      expect(bytesOf(await globex.startRefund({ paymentId: unknown, amount: '10.00' }))).toBe(
        bytesOf(theirs),
      );
    }
    const { payment_intent } = await stack.provider.stripe.charges.retrieve(charge);
    const byIntent = await globex.startRefund({ paymentId: payment_intent as string, amount: '10.00' });
    expect(bytesOf(byIntent)).toBe(bytesOf(theirs));
    const euros = await globex.startRefund({ paymentId: charge, amount: '10.00', currency: 'EUR' });
    expect(bytesOf(euros)).toBe(bytesOf(theirs));
  });

  test('R38: of both tenants at once one claims a payment, and the other is told nothing', async () => {
    for (let round = 0; round < 5; round += 1) {
      const paymentId = await stack.provider.charge(10_000);
      const answers = await Promise.all(
        (['acme', 'globex'] as const).map((tenant) =>
          stack.as('service', tenant).startRefund({ paymentId, amount: '90.00' }),
        ),
      );
      expect(answers.map((a) => (a.status === 202 ? 'admitted' : (a.body.code as string))).sort()).toEqual([
        'admitted',
        'payment_unknown',
      ]);
    }
  });

  test('R38: one key in two tenants is two runs, and neither sees the other', async () => {
    const key = randomUUID();
    const mine = await stack.as('service').startRefund({ paymentId: charge, amount: '11.00', key });
    const other = await stack.provider.charge(10_000);
    const theirs = await stack
      .as('service', 'globex')
      .startRefund({ paymentId: other, amount: '11.00', key });
    expect([mine.status, theirs.status]).toEqual([202, 202]);
    expect(theirs.body.runId).not.toBe(mine.body.runId);
    expectProblem(
      await stack.as('admin', 'globex').call('GET', mine.body.links.self as string),
      404,
      'not_found',
    );
  });

  test('R38: a cursor of one tenant gives the other only its own', async () => {
    const page = await stack.as('service').call('GET', '/v1/refunds?limit=1');
    expect(page.body.nextCursor).toEqual(expect.any(String));
    const globex = stack.as('service', 'globex');
    const all = await globex.call('GET', '/v1/refunds');
    const own = new Set((all.body.items as RefundView[]).map((r) => r.runId));
    const theirs = await globex.call('GET', `/v1/refunds?cursor=${page.body.nextCursor as string}`);
    expect(theirs.status).toBe(200);
    for (const { runId } of theirs.body.items) expect(own).toContain(runId);
    const inbox = await globex.call('GET', '/v1/approvals');
    expect((inbox.body.items as ApprovalView[]).map((a) => a.id)).not.toContain(approval.id);
  });
});

function tokenOf(person: keyof (typeof testTokens)['acme']): string {
  return testTokens.acme[person];
}

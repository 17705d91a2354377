import { randomUUID } from 'node:crypto';
import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';

let stack: TestStack;
let charge: string;
let approval: ApprovalView;
beforeAll(async () => {
  stack = await TestStack.start();
  charge = await stack.provider.charge(100_000);
  approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
});
afterAll(() => stack.stop());

const nobody = { authorization: 'Bearer nobody' };
const usd = (value: string) => ({ amount: { value, currency: 'USD' } });

describe('POST /v1/refunds', () => {
  const post = (who: Parameters<TestStack['as']>[0], body: unknown, key: string, headers = {}) =>
    stack.as(who).call('POST', '/v1/refunds', body, { 'idempotency-key': key, ...headers });
  const valid = () => ({ paymentId: charge, ...usd('60.00'), reason: 'damaged' });

  test('401 before 422, 422 before 403, 403 before 409', async () => {
    const key = randomUUID();
    expect((await post('service', valid(), key)).status).toBe(202);
    const conflicting = { ...valid(), ...usd('61.00') };

    expectProblem(await post('admin', { ...valid(), extra: 1 }, key, nobody), 401, 'unauthenticated');
    expectProblem(await post('admin', { ...conflicting, extra: 1 }, key), 422, 'invalid_request');
    expectProblem(await post('admin', { ...conflicting, paymentId: 'ch_x' }, key), 422, 'payment_unknown');
    expectProblem(await post('admin', conflicting, key), 403, 'forbidden');
    expectProblem(await post('admin', valid(), key), 403, 'forbidden');
    expectProblem(await post('service', conflicting, key), 409, 'idempotency_conflict');
  });
});

describe('POST /v1/approvals/{id}/decisions', () => {
  const hash = 'f'.repeat(64);
  const decide = (who: Parameters<TestStack['as']>[0], body: unknown, id = approval.id, headers = {}) =>
    stack.as(who).call('POST', `/v1/approvals/${id}/decisions`, body, headers);

  test('401 before 404, 404 before 422, 422 before 403, 403 before 409', async () => {
    const wrong = { decision: 'bless', proposalHash: 'x' };
    expectProblem(await decide('service', wrong, 'apr_unknown', nobody), 401, 'unauthenticated');
    expectProblem(await decide('service', wrong, 'apr_unknown'), 404, 'not_found');
    expectProblem(await decide('service', 'not JSON', 'apr_unknown'), 404, 'not_found');
    expectProblem(await decide('service', wrong), 422, 'invalid_request');
    expectProblem(await decide('service', 'not JSON'), 400, 'malformed_json');
    const stale = { decision: 'approve', proposalHash: hash };
    expectProblem(await decide('service', stale), 403, 'forbidden');
    expectProblem(await decide('reviewer1', stale), 409, 'decision_stale');
  });

  test('R22: an edit that can not be is 422, whoever asks for it', async () => {
    const edit = (value: string) => ({
      decision: 'edit',
      proposalHash: approval.proposalHash,
      arguments: usd(value),
    });
    for (const who of ['service', 'reviewer1'] as const) {
      expectProblem(await decide(who, edit('120.0')), 422, 'edit_changes_nothing');
      expectProblem(await decide(who, edit('1000.01')), 422, 'exceeds_remaining');
      expectProblem(await decide(who, edit('0')), 422, 'amount_not_positive');
      expectProblem(
        await decide(who, {
          ...edit('1'),
          arguments: { amount: { value: '1', currency: 'EUR' } },
        }),
        422,
        'currency_mismatch',
      );
      expectProblem(
        await decide(who, { ...edit('110.00'), comment: 'card 4242 4242 4242 4242' }),
        422,
        'sensitive_text',
      );
    }
    expectProblem(await decide('service', edit('110.00')), 403, 'forbidden');
  });

  test('R21: what is stale is told what is in force now, and a revision that does not fit the hash is stale', async () => {
    const stale = await decide('reviewer1', { decision: 'approve', proposalHash: hash });
    expect(stale.body).toMatchObject({ currentRevision: 1, currentHash: approval.proposalHash });
    const { proposalHash } = approval;
    expectProblem(
      await decide('reviewer1', { decision: 'approve', proposalHash, revision: 2 }),
      409,
      'decision_stale',
    );
    expect((await stack.as('reviewer1').approval(approval.id)).votes).toEqual([]);
  });

  test('R21: every refused attempt is on the audit log of the run, with who and why', async () => {
    const rows = await query<{ actor: string; reason: string }>(
      stack.database.adminUrl,
      `select actor, reason from audit where run_id = $1 and event = 'decision_refused' order by seq`,
      [approval.runId],
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { actor: 'service', reason: 'forbidden' },
        { actor: 'reviewer1', reason: 'decision_stale' },
      ]),
    );
  });

  test('R25: a decision id with another decision is 409, and a signature is refused in the same order', async () => {
    const { proposalHash, id } = approval;
    const sign = (who: Parameters<TestStack['as']>[0], body: unknown, of = id) =>
      stack.as(who).call('POST', `/v1/approvals/${of}/signatures`, body);
    expectProblem(await sign('reviewer1', {}, 'apr_unknown'), 404, 'not_found');
    expectProblem(await sign('service', {}), 422, 'invalid_request');
    expectProblem(await sign('service', { decision: 'approve', proposalHash: hash }), 403, 'forbidden');
    expectProblem(
      await sign('reviewer1', { decision: 'approve', proposalHash: hash }),
      409,
      'decision_stale',
    );
    const signed = await sign('reviewer1', { decision: 'approve', proposalHash });
    expect(signed.body).toEqual({
      jws: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      workflowId: `refund/acme/${approval.runId}`,
      signal: 'approval',
    });
    expect((await stack.as('reviewer1').approval(id)).votes).toEqual([]);

    const once = { decision: 'edit', proposalHash, arguments: usd('110.00'), decisionId: 'click-1' };
    expect((await decide('reviewer2', once)).status).toBe(200);
    expect((await decide('reviewer2', once)).status).toBe(200);
    expectProblem(await decide('reviewer2', { ...once, arguments: usd('100.00') }), 409, 'decision_conflict');
    expectProblem(await decide('reviewer1', once), 409, 'decision_conflict');
  });
});

describe('POST /v1/refunds/{runId}/cancel', () => {
  test('401 before 404, 404 before 403, 403 before 409; repeated it is 200', async () => {
    const open = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    const cancel = (who: Parameters<TestStack['as']>[0], id = open.runId, headers = {}) =>
      stack.as(who).call('POST', `/v1/refunds/${id}/cancel`, undefined, headers);
    expectProblem(await cancel('service', 'run_unknown', nobody), 401, 'unauthenticated');
    expectProblem(await cancel('reviewer1', 'run_unknown'), 404, 'not_found');
    expectProblem(await cancel('reviewer1'), 403, 'forbidden');
    for (const who of ['service', 'service', 'admin'] as const) {
      const cancelled = await cancel(who);
      expect([cancelled.status, cancelled.body.phase]).toEqual([200, 'cancelled']);
    }
    const { runId } = approval;
    await stack.as('service').untilPhase(runId, 'completed');
    expectProblem(await cancel('reviewer1', runId), 403, 'forbidden');
    expectProblem(await cancel('admin', runId), 409, 'run_not_cancellable');
  });
});

import { randomUUID } from 'node:crypto';
import { apiCaller } from '../support/api';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { secondAdministrator } from './adminFixture';
import { expectProblem } from './doorFixture';

let stack: TestStack;
let charge: string;
beforeAll(async () => {
  stack = await TestStack.start();
  charge = await stack.provider.charge(1_000_000);
});
afterAll(() => stack.stop());

const start = (more: Record<string, unknown>) =>
  stack.as('service').startRefund({ paymentId: charge, amount: '120.00', ...more });

const lineOf = (lineId: string) => ({
  lineId,
  quantity: 1,
  of: { quantity: 1, amount: { value: '120.00', currency: 'USD' } },
});

describe('onBehalfOf', () => {
  test.each([
    'reviewer1',
    'Reviewer1',
    'REVIEWER1',
    ' reviewer1 ',
    'ｒｅｖｉｅｗｅｒ１',
    'rev\u200biewer1',
    'réviewer1',
  ])('R23: %j is reviewer1, who then can not approve, review or sign for it', async (spelling) => {
    const approval = await stack
      .as('service')
      .openApproval({ paymentId: charge, amount: '120.00', onBehalfOf: spelling });
    expect(approval.onBehalfOf).toBe('reviewer1');
    expectProblem(await stack.as('reviewer1').decide(approval, 'approve'), 403, 'separation_of_duties');
    const { id, proposalHash } = approval;
    const signed = await stack
      .as('reviewer1')
      .call('POST', `/v1/approvals/${id}/signatures`, { decision: 'approve', proposalHash });
    expectProblem(signed, 403, 'separation_of_duties');
    // He counts as requester, so he cancels.
    expect((await stack.as('reviewer1').call('POST', `/v1/refunds/${approval.runId}/cancel`)).status).toBe(
      200,
    );
  });

  test.each(['rеviewer1', 'reviewer 1', '   ', '審査', 'a\u0000'])(
    'R23: %j, which only looks like somebody, is 422',
    async (lookalike) => {
      expectProblem(await start({ onBehalfOf: lookalike }), 422, 'invalid_request');
    },
  );

  test('R23: a service or agent is no human', async () => {
    for (const onBehalfOf of ['agent', 'AGENT', 'service'])
      expectProblem(await start({ onBehalfOf }), 422, 'invalid_request');
  });

  test('R23: somebody outside is kept under one spelling, and once he is added he is the one who asked', async () => {
    const approval = await stack
      .as('agent')
      .openApproval({ paymentId: charge, amount: '130.00', onBehalfOf: 'New.Colleague' });
    expect(approval.onBehalfOf).toBe('new.colleague');
    const { id, token, key } = await addedLater('new.colleague');
    expectProblem(
      await apiCaller(stack.apiUrl, token).decide(approval, 'approve'),
      403,
      'separation_of_duties',
    );
    expect([id, key]).toEqual([approval.onBehalfOf, expect.stringMatching(/^key_/)]);
  });

  test('R3: the same body under the same key stays the same run', async () => {
    const key = randomUUID();
    const first = await start({ key, onBehalfOf: 'Reviewer2' });
    const again = await start({ key, onBehalfOf: 'Reviewer2' });
    expect([first.status, again.status, again.body.runId]).toEqual([202, 202, first.body.runId]);
  });
});

/** An approver with a key, made and confirmed by two administrators. */
async function addedLater(id: string): Promise<{ id: string; token: string; key: string }> {
  const admin = stack.as('admin');
  const body = { id, kind: 'person', displayName: 'New', groups: ['approvers'] };
  expect((await admin.call('POST', '/v1/admin/people', body)).status).toBe(201);
  const scopes = ['approvals:read', 'approvals:decide'];
  const made = await admin.call('POST', '/v1/admin/keys', { person: id, name: 'laptop', scopes });
  const { key, token } = made.body as { key: { id: string }; token: string };
  const second = await secondAdministrator(stack);
  expect((await second.as.call('POST', `/v1/admin/keys/${key.id}/confirm`)).status).toBe(200);
  return { id, token, key: key.id };
}

describe('ids in requests', () => {
  const card = '4242424242424242';
  test.each(['customerId', 'orderId', 'threadId', 'onBehalfOf'])(
    'R39: a card number as %s is refused, named, and neither repeated nor stored',
    async (field) => {
      const refused = await start({ [field]: card });
      expectProblem(refused, 422, 'sensitive_text');
      expect(refused.body).toMatchObject({ field, kinds: ['card_number'] });
      expect(refused.text).not.toContain(card);
    },
  );

  test('R39: so it is in a line, in evidence, and as the key of the request or of a decision', async () => {
    for (const wrong of [
      { orderId: 'o-1', lines: [lineOf(card)] },
      { evidence: [card] },
      { evidence: [{ label: 'order', text: `see ${card}` }] },
      { key: card },
      { paymentId: `ch_${card}` },
      { orderId: '4242-4242-4242-4242' },
    ])
      expectProblem(await start(wrong), 422, 'sensitive_text');
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '140.00' });
    const decided = await stack.as('reviewer1').decide(approval, 'approve', { decisionId: card });
    expectProblem(decided, 422, 'sensitive_text');
    const stored = await query(
      stack.database.adminUrl,
      `select 1 from runs where request::text like '%' || $1 || '%' union all
       select 1 from decisions where decision_id = $1 union all
       select 1 from refund_requests where idempotency_key = $1`,
      [card],
    );
    expect(stored).toEqual([]);
  });

  test('R39: the number of an article is no card', async () => {
    expect((await start({ orderId: 'o-ean', lines: [lineOf('4006381333931')] })).status).toBe(202);
  });

  test('R39: plain ids pass, also long ones of digits', async () => {
    const ids = { customerId: '1234567890123456', orderId: 'ORDER-42', threadId: 'th_000123456789' };
    expect((await start(ids)).status).toBe(202);
  });
});

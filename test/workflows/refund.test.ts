import { TestStack } from '../support/stack';

describe('one refund from request to money back', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  test('R20: an approved refund is paid exactly once, and the provider counts it', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '120.00' });
    const decided = await stack.as('reviewer1').decide(approval, 'approve');
    expect(decided.status).toBe(200);
    expect(decided.body).toMatchObject({ status: 'approved', votes: [{ actor: 'reviewer1' }] });

    const done = await stack.as('service').untilPhase(approval.runId, 'completed');
    const refunds = await stack.provider.refunds(charge);
    expect(refunds.map((r) => [r.id, r.amount, r.status])).toEqual([
      [done.result?.refundId, 12_000, 'succeeded'],
    ]);
  });

  test('R31: a refund that nobody decides expires after 72 hours, frees the balance and says why', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '200.00' });
    await stack.temporal.skipTime('acme', approval.runId);
    const done = await stack.as('service').untilPhase(approval.runId, 'expired');
    expect(done.result).toMatchObject({ outcome: 'expired', code: 'expired' });
    expect(await stack.provider.refunds(charge)).toEqual([]);
    const again = await stack.as('service').startRefund({ paymentId: charge, amount: '200.00' });
    expect(again.status).toBe(202);
  });
});

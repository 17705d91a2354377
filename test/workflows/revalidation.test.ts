import { TestStack } from '../support/stack';
import { query } from '../support/database';
import { until } from '../support/processes';
import { auditOf, balanceOf, eventsOf, paidOut, refundCalls } from './evidence';

describe('the second check, just before money moves', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount: string, captured = 20_000) => stack.opened(amount, captured);
  const asOwner = (text: string, values: unknown[]) => query(stack.database.ownerUrl, text, values);

  test('R20: a dispute opened between approval and execution stops the refund for a person, and goes on when it is won', async () => {
    const { charge, approval } = await opened('120.00');
    const dispute = (await stack.provider.admin('POST', 'disputes', { charge })) as { id: string };
    expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
    await stack.as('service').untilPhase(approval.runId, 'needs_review');
    expect(await refundCalls(stack, charge)).toEqual([]);
    const review = (await auditOf(stack, approval.runId)).find((line) => line.event === 'needs_review');
    expect(review).toMatchObject({ reason: 'payment_disputed' });
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 12_000 });

    await stack.provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });
    await stack.temporal.skipTime('acme', approval.runId);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R20: a run in review can still be cancelled, and then holds nothing', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.provider.admin('POST', 'disputes', { charge });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'needs_review');
    const cancelled = await stack.as('admin').call('POST', `/v1/refunds/${approval.runId}/cancel`);
    expect([cancelled.status, cancelled.body.phase]).toEqual([200, 'cancelled']);
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0 });
  });

  test('R20: refunds made by hand at the provider meanwhile leave too little, so nothing is sent and the reason is given', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.provider.stripe.refunds.create({ charge, amount: 9_000 });
    await stack.as('reviewer1').decide(approval, 'approve');
    const done = await stack.as('service').untilPhase(approval.runId, 'rejected');
    expect(done.result).toMatchObject({ code: 'exceeds_remaining', refundId: null });
    expect(await paidOut(stack, charge)).toEqual([[9_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
  });

  test('R20: a refund by hand that leaves exactly enough does not stop the run', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.provider.stripe.refunds.create({ charge, amount: 8_000 });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([
      [8_000, 'succeeded'],
      [12_000, 'succeeded'],
    ]);
  });

  test('R23: a role lost between two votes voids that vote; the run waits again and pays only after another', async () => {
    const { charge, approval } = await opened('800.00', 100_000);
    await stack.as('reviewer1').decide(approval, 'approve');
    await asOwner(
      `update principals set groups = '{proposers}' where tenant = 'acme' and id = 'reviewer1'`,
      [],
    );
    try {
      await stack.as('reviewer2').decide(approval, 'approve');
      await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
      await stack.as('service').untilPhase(approval.runId, 'waiting_approval');
      expect(await stack.as('service').approval(approval.id)).toMatchObject({
        status: 'open',
        votes: [{ actor: 'reviewer2' }],
      });
      expect(await refundCalls(stack, charge)).toEqual([]);
      expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 80_000 });

      const lead = await stack.as('lead').decide(approval, 'approve');
      expect([lead.status, lead.body.status]).toEqual([200, 'approved']);
      await stack.as('service').untilPhase(approval.runId, 'completed');
      expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
    } finally {
      await asOwner(
        `update principals set groups = '{approvers,proposers}' where tenant = 'acme' and id = 'reviewer1'`,
        [],
      );
    }
  });

  test('R23: the voided voter may vote the same way again once the role is back', async () => {
    const { charge, approval } = await opened('800.00', 100_000);
    await stack.as('reviewer1').decide(approval, 'approve');
    await asOwner(`update principals set active = false where tenant = 'acme' and id = 'reviewer1'`, []);
    await stack.as('reviewer2').decide(approval, 'approve');
    await until(async () => (await eventsOf(stack, approval.runId)).includes('authorization_wait_again'));
    await asOwner(`update principals set active = true where tenant = 'acme' and id = 'reviewer1'`, []);
    await stack.as('service').untilPhase(approval.runId, 'waiting_approval');
    expect(await refundCalls(stack, charge)).toEqual([]);
    const again = await stack.as('reviewer1').decide(approval, 'approve');
    expect([again.status, again.body.status]).toEqual([200, 'approved']);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });

  test('R20: a stricter policy published after the vote opens a new revision that says so; a laxer one changes nothing', async () => {
    const publish = (version: string, tiers: unknown) =>
      asOwner(
        `insert into policies (tenant, version, document)
         select tenant, $1, jsonb_set(document, '{tiers,USD}', $2) from policies
         where tenant = 'globex' order by published_at desc limit 1`,
        [version, JSON.stringify(tiers)],
      );
    const service = stack.as('service', 'globex');
    const reviewer = stack.as('reviewer1', 'globex');
    const charge = await stack.provider.charge(100_000);
    const strict = await service.openApproval({ paymentId: charge, amount: '120.00' });
    await publish('2027-strict', [{ upTo: '10.00', approvers: 0 }, { approvers: 2 }]);
    await reviewer.decide(strict, 'approve');
    await until(async () => (await service.approval(strict.id)).revision === 2);
    const reopened = await service.approval(strict.id);
    expect(reopened).toMatchObject({ status: 'open', needed: 2, votes: [] });
    expect(reopened.revisionReason).toContain('2027-strict');
    expect(await refundCalls(stack, charge)).toEqual([]);
    await reviewer.decide(reopened, 'approve');
    // One vote still: the policy in force asks for two.
    expect((await service.approval(strict.id)).status).toBe('open');
    await publish('2027-lax', [{ upTo: '500.00', approvers: 0 }, { approvers: 1 }]);
    await stack.as('reviewer2', 'globex').decide(reopened, 'approve');
    await service.untilPhase(strict.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });
});

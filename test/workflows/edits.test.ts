import { TestStack } from '../support/stack';
import { query } from '../support/database';
import { balanceOf, paidOut, refundCalls } from './evidence';
import type { ApprovalView } from '../../src/application/views';

describe('an edit is a new revision', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const amountIs = (value: string) => ({ arguments: { amount: { value, currency: 'USD' } } });
  const edit = (person: 'reviewer1' | 'reviewer2' | 'lead', approval: ApprovalView, value: string) =>
    stack.as(person).decide(approval, 'edit', amountIs(value));

  const opened = (amount: string, captured = 1_000_000) => stack.opened(amount, captured);

  test('R22: a lowering edit is the editor’s own vote; exactly the edited amount is executed, and the three are kept apart', async () => {
    const { charge, approval } = await opened('120.00');
    const edited = await edit('reviewer1', approval, '100.50');
    expect(edited.status).toBe(200);
    expect(edited.body).toMatchObject({ revision: 2, status: 'approved', votes: [{ actor: 'reviewer1' }] });
    const done = await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[10_050, 'succeeded']]);
    expect([done.proposed.amount.value, done.approved?.amount.value, done.executed?.amount.value]).toEqual([
      '120.00',
      '100.50',
      '100.50',
    ]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 10_050, reserved: 0 });
    const revisions = await query(
      stack.database.adminUrl,
      `select revision, proposed_by, (arguments->'amount'->>'minor')::int as minor
       from approval_revisions where approval_id = $1 order by revision`,
      [approval.id],
    );
    expect(revisions).toEqual([
      { revision: 1, proposed_by: 'service', minor: 12_000 },
      { revision: 2, proposed_by: 'reviewer1', minor: 10_050 },
    ]);
  });

  test('R22: an edit voids the votes given before, and the old hash decides nothing any more', async () => {
    const { charge, approval } = await opened('800.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    const edited = await edit('reviewer2', approval, '700.00');
    expect(edited.body).toMatchObject({ revision: 2, status: 'open', votes: [{ actor: 'reviewer2' }] });
    const old = await stack.as('lead').decide(approval, 'approve');
    expect([old.status, old.body.code, old.body.currentRevision]).toEqual([409, 'decision_stale', 2]);
    expect(await paidOut(stack, charge)).toEqual([]);
    await stack.as('reviewer1').decide(edited.body, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[70_000, 'succeeded']]);
  });

  test('R22: a raising edit is no vote of its editor, who may not approve it either', async () => {
    const { charge, approval } = await opened('120.00');
    const raised = await edit('reviewer1', approval, '130.00');
    expect(raised.body).toMatchObject({ revision: 2, status: 'open', votes: [] });
    const own = await stack.as('reviewer1').decide(raised.body, 'approve');
    expect([own.status, own.body.code]).toEqual([403, 'separation_of_duties']);
    await stack.as('reviewer2').decide(raised.body, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[13_000, 'succeeded']]);
  });

  test('R22: raising and then lowering above what anyone else proposed does not buy a vote', async () => {
    const { charge, approval } = await opened('120.00');
    const raised = await edit('reviewer1', approval, '200.00');
    const lowered = await edit('reviewer1', raised.body, '150.00');
    expect(lowered.body).toMatchObject({ revision: 3, status: 'open', votes: [] });
    const own = await stack.as('reviewer1').decide(lowered.body, 'approve');
    expect([own.status, own.body.code]).toEqual([403, 'separation_of_duties']);
    const back = await edit('reviewer1', lowered.body, '120.00');
    expect(back.body).toMatchObject({ revision: 4, status: 'approved', votes: [{ actor: 'reviewer1' }] });
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R22: an edit above the remaining balance is refused and makes no revision; the exact remainder passes', async () => {
    const { charge, approval } = await opened('120.00', 20_000);
    await stack.as('service').startRefund({ paymentId: charge, amount: '30.00' });
    const above = await edit('reviewer1', approval, '170.01');
    expect([above.status, above.body.code]).toEqual([422, 'exceeds_remaining']);
    expect(await stack.as('service').approval(approval.id)).toMatchObject({
      revision: 1,
      proposalHash: approval.proposalHash,
    });
    const exact = await edit('reviewer1', approval, '170.00');
    expect(exact.body).toMatchObject({ revision: 2, arguments: { amount: { value: '170.00' } } });
    await stack.as('reviewer2').decide(exact.body, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[17_000, 'succeeded']]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 17_000, reserved: 3_000 });
  });

  test('R22: an edit runs policy again: raised over 500.00 it needs two people, over 5,000.00 the lead', async () => {
    const { charge, approval } = await opened('120.00');
    const two = await edit('reviewer1', approval, '600.00');
    expect(two.body).toMatchObject({ needed: 2, status: 'open' });
    const lead = await edit('lead', two.body, '5500.00');
    expect(lead.body).toMatchObject({ needed: 2, policy: { oneFrom: 'finance-lead' }, votes: [] });
    await stack.as('reviewer1').decide(lead.body, 'approve');
    await stack.as('reviewer2').decide(lead.body, 'approve');
    expect(await stack.as('service').approval(approval.id)).toMatchObject({ status: 'open' });
    expect(await paidOut(stack, charge)).toEqual([]);
  });

  test('R22: an edit below the automatic threshold still needs a person', async () => {
    const { charge, approval } = await opened('800.00');
    const edited = await edit('reviewer1', approval, '20.00');
    expect(edited.body).toMatchObject({ needed: 1, status: 'approved', votes: [{ actor: 'reviewer1' }] });
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[2_000, 'succeeded']]);
  });

  test('R22: an edit that changes nothing, the currency, the target or the action is refused', async () => {
    const { charge, approval } = await opened('120.00');
    const same = await edit('reviewer1', approval, '120');
    expect([same.status, same.body.code]).toEqual([422, 'edit_changes_nothing']);
    const currency = await stack
      .as('reviewer1')
      .decide(approval, 'edit', { arguments: { amount: { value: '100.00', currency: 'EUR' } } });
    expect([currency.status, currency.body.code]).toEqual([422, 'currency_mismatch']);
    for (const smuggled of [{ paymentId: 'ch_other' }, { target: 'ch_other' }, { action: 'pay_out' }]) {
      const answer = await stack
        .as('reviewer1')
        .decide(approval, 'edit', { arguments: { ...amountIs('10.00').arguments, ...smuggled } });
      expect([answer.status, answer.body.code]).toEqual([422, 'invalid_request']);
    }
    expect(await stack.as('service').approval(approval.id)).toMatchObject({ revision: 1, status: 'open' });
    expect(await refundCalls(stack, charge)).toEqual([]);
  });
});

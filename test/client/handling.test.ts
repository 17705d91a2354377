import { Countersign } from '../../src/client';
import { approvalSchema } from '../../src/http/approvalSchemas';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';

describe('countersign.approvals, besides voting', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const as = (person: keyof typeof testTokens.acme) =>
    new Countersign({ baseUrl: stack.apiUrl, token: testTokens.acme[person] }).approvals;

  test('R21: every kind of decision has its method, and each answers with the approval as it is now', async () => {
    const charge = await stack.provider.charge(1_000_000);
    const { id, proposalHash } = await stack
      .as('service')
      .openApproval({ paymentId: charge, amount: '800.00' });
    const [one, two] = [as('reviewer1'), as('reviewer2')];
    const named = { proposalHash };
    const applied = [
      await one.claim(id, named),
      await one.release(id, named),
      await one.requestInfo(id, { ...named, comment: 'which parcel?' }),
      await as('service').answerInfo(id, { ...named, comment: 'the second' }),
      await one.comment(id, { ...named, comment: 'seen' }),
      await one.escalate(id, named),
      await two.delegate(id, { ...named, to: 'lead' }),
      await two.withdraw(id, named),
      await two.approve(id, named),
      await one.reject(id, { ...named, reasonCode: 'wrong_amount' }),
    ];
    expect(applied.map(({ status }) => status)).toEqual(applied.map(() => 'applied'));
    const now = await one.show(id);
    expect(approvalSchema.strict().parse(now)).toEqual(now);
    expect(applied.at(-1)).toEqual({ status: 'applied', approval: now });
    expect(now.timeline.map(({ decision }) => decision)).toEqual([
      'claim',
      'release',
      'request_info',
      'answer_info',
      'comment',
      'escalate',
      'delegate',
      'withdraw',
      'approve',
      'reject',
    ]);
    expect(now).toMatchObject({
      status: 'rejected',
      decidedBy: { actor: 'reviewer1', reasonCode: 'wrong_amount' },
      infoRequests: [{ question: 'which parcel?', answer: { by: 'service', text: 'the second' } }],
    });
  });

  test('R25: what is refused says why in its code, and says who holds what', async () => {
    const charge = await stack.provider.charge(1_000_000);
    const { id, proposalHash } = await stack
      .as('service')
      .openApproval({ paymentId: charge, amount: '120.00' });
    await as('reviewer1').claim(id, { proposalHash });
    await expect(as('reviewer2').approve(id, { proposalHash })).rejects.toMatchObject({
      code: 'approval_claimed',
      details: { claimedBy: 'reviewer1' },
    });
    await expect(as('reviewer2').withdraw(id, { proposalHash })).rejects.toMatchObject({
      code: 'nothing_to_withdraw',
    });
  });
});

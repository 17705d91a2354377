import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());

const balanceOf = (paymentId: string) => stand.in((unit) => unit.ledger.find(paymentId));
const refused = { admitted: false, detail: expect.stringMatching(/./) };

describe('openRefund', () => {
  test('R36: executed twice it holds the amount once, and the start is not owed any more', async () => {
    const input = await stand.takenIn(12_000);
    const opened = await stand.twice('openRefund', input);
    expect(opened).toEqual({ admitted: true, paymentId: input.paymentId, journalled: false });
    expect(await balanceOf(input.paymentId)).toMatchObject({ reserved: 12_000 });
    expect(await stand.store.owed(-60_000, 10)).toEqual([]);
  });

  test('R3: a payment that was named by its intent is held under its one id', async () => {
    const charge = await stand.provider.stripe.charges.retrieve(await stand.provider.charge(20_000));
    const input = await stand.takenIn(12_000, { charge: charge.payment_intent as string });
    expect(await stand.twice('openRefund', input)).toEqual({
      admitted: true,
      paymentId: charge.id,
      journalled: false,
    });
    expect(await balanceOf(charge.id)).toMatchObject({ reserved: 12_000 });
  });

  test.each([
    ['payment_unknown', async () => 'ch_nobody'],
    ['exceeds_remaining', () => stand.provider.charge(11_999)],
    ['currency_mismatch', () => stand.provider.charge(20_000, 'eur')],
    ['payment_uncaptured', () => stand.provider.charge(20_000, 'usd', { capture: false })],
  ])('R20: %s is an answer, twice the same, and holds nothing', async (code, charge) => {
    const input = await stand.takenIn(12_000, { charge: await charge() });
    expect(await stand.twice('openRefund', input)).toEqual({ ...refused, code });
    const [run] = await stand.in((unit) => Promise.all([unit.runs.find(input.runId)]));
    expect(run?.money).toBe('none');
  });

  test('R12: a provider that does not answer is asked again, and nothing is decided', async () => {
    const input = await stand.takenIn(12_000);
    await stand.provider.admin('POST', 'faults', { kind: 'cut_before', times: 4, match: { method: 'GET' } });
    await expect(stand.run('openRefund', input)).rejects.toMatchObject({
      type: 'provider_unknown',
      nonRetryable: false,
    });
    await stand.provider.admin('DELETE', 'faults');
    expect(await stand.run('openRefund', input)).toMatchObject({ admitted: true });
  });

  test('R23: a workflow that was started past the door, or with other figures than it took in, is refused for good', async () => {
    const input = await stand.takenIn(12_000);
    const { amount } = input.arguments;
    for (const wrong of [
      { ...input, runId: 'run_of_nobody' },
      { ...input, tenant: 'globex' },
      { ...input, requester: 'agent' },
      { ...input, onBehalfOf: 'somebody' },
      { ...input, workflowId: 'refund/acme/another' },
      { ...input, arguments: { ...input.arguments, amount: { ...amount, minor: 12_001 } } },
      { ...input, arguments: { ...input.arguments, reason: 'goodwill' as const } },
    ]) {
      await expect(stand.run('openRefund', wrong)).rejects.toMatchObject({
        type: 'not_started_here',
        nonRetryable: true,
      });
    }
    expect(await balanceOf(input.paymentId)).toBeUndefined();
  });
});

describe('evaluatePolicy and publishApproval', () => {
  test.each([
    [5_000, 'automatic', 'executing'],
    [5_001, 'approval', 'validating'],
  ] as const)(
    'R36: the policy over %i, asked twice, is one answer and one row',
    async (minor, decision, phase) => {
      const { tenant, runId, arguments: args } = await stand.opened(minor);
      const answer = await stand.twice('evaluatePolicy', { tenant, runId, amount: args.amount });
      expect(answer).toMatchObject({ decision });
      const run = await stand.in((unit) => unit.runs.find(runId));
      expect(run?.phase).toBe(phase);
      expect((await stand.events(runId)).filter((e) => e === 'policy_evaluated')).toHaveLength(1);
    },
  );

  test('R36: published twice in one execution it is one approval of one revision', async () => {
    const input = await stand.opened(12_000);
    const { tenant, runId, paymentId, arguments: args } = input;
    const policy = await stand.run('evaluatePolicy', { tenant, runId, amount: args.amount });
    const now = Date.UTC(2026, 10, 1);
    const publish = { input, paymentId, arguments: args, policy, epoch: stand.epoch, now };
    const approval = await stand.twice('publishApproval', publish);
    expect(approval).toMatchObject({
      id: runId.replace('run_', 'apr_'),
      revision: 1,
      status: 'open',
      proposalHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      openedAt: now,
      deadline: now + 72 * 3_600_000,
    });
    const later = await stand.run('publishApproval', { ...publish, now: now + 5_000 });
    expect(later).toEqual(approval);
  });

  test('R27: published in another execution it is a new revision without votes, and the old hash is void', async () => {
    const { input, approval } = await stand.published(60_000);
    const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'approve'));
    const voted = await stand.run('applyDecision', stand.toApply(approval, message));
    expect(voted.approval.votes).toHaveLength(1);
    const { paymentId, arguments: args } = input;
    const publish = { input, paymentId, arguments: args, policy: approval.policy };
    const again = await stand.twice('publishApproval', { ...publish, epoch: 'execution-2', now: Date.now() });
    expect(again).toMatchObject({ id: approval.id, revision: 2, votes: [], status: 'open' });
    expect(again.proposalHash).not.toBe(approval.proposalHash);
    const stale = await stand.recorded(stand.envelope(approval, 'reviewer2', 'approve'));
    const answer = await stand.run('applyDecision', { ...stand.toApply(again, stale), epoch: 'execution-2' });
    expect(answer.answer).toMatchObject({ accepted: false, code: 'decision_stale' });
  });

  test('R21: every revision of every run has a hash of its own', async () => {
    const hashes = new Set<string>();
    for (let i = 0; i < 3; i += 1) {
      const { approval } = await stand.published(12_000);
      hashes.add(approval.proposalHash);
      const edit = { arguments: { amount: { value: '130.00', currency: 'USD' } } };
      const message = await stand.recorded(stand.envelope(approval, 'reviewer1', 'edit', edit));
      hashes.add((await stand.run('applyDecision', stand.toApply(approval, message))).approval.proposalHash);
    }
    expect(hashes.size).toBe(6);
  });
});

import { TestStack } from '../support/stack';

/** What Temporal's Web UI shows beside a run: summary, details, search attributes and the two queries. */
describe('what an operator sees of a waiting refund', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  test('R28: the run says what it waits for and until when, is found by its attributes, and names no person', async () => {
    const charge = await stack.provider.charge(200_000, 'eur');
    const { runId, id, proposalHash, deadline } = await stack.as('service').openApproval({
      paymentId: charge,
      amount: '1200.00',
      currency: 'EUR',
      customerId: 'customer-of-interest',
      note: 'the box was crushed',
    });
    const handle = stack.temporal.handle('acme', runId);
    const { raw, searchAttributes } = await handle.describe();
    const summary = JSON.parse(
      Buffer.from(raw.executionConfig?.userMetadata?.summary?.data ?? []).toString(),
    ) as string;
    expect(summary).toBe(`1200.00 EUR on ${charge}`);

    const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain('waiting_approval');
    expect(metadata.currentDetails).toContain('2 distinct approvers');
    expect(metadata.currentDetails).toContain(`0 of 2 votes`);
    expect(metadata.currentDetails).toContain(deadline);

    expect(searchAttributes).toMatchObject({
      CountersignTenant: ['acme'],
      CountersignPhase: ['waiting_approval'],
      CountersignAmount: [120_000],
      CountersignCurrency: ['EUR'],
      CountersignApproverGroup: ['approvers'],
    });
    const state = await handle.query('state');
    expect(state).toMatchObject({
      runId,
      phase: 'waiting_approval',
      action: 'issue_refund',
      arguments: { amount: { value: '1200.00', currency: 'EUR' }, reason: 'damaged' },
      result: null,
    });
    expect(await handle.query('approvalRequest')).toMatchObject({ id, proposalHash, needed: 2, votes: [] });

    const history = JSON.stringify(await handle.fetchHistory());
    const shown = JSON.stringify([summary, metadata, searchAttributes, state]) + history;
    for (const personal of ['customer-of-interest', 'crushed']) {
      expect(shown).not.toContain(personal);
      expect(history).not.toContain(Buffer.from(personal).toString('base64').slice(2, -4));
    }
  });
});

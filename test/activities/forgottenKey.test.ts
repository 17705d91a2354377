import type { RefundInput } from '../../src/domain/refund/state';
import { ActivityFixture } from './activityFixture';

describe('issueRefund after the provider has forgotten the key', () => {
  let late: ActivityFixture;
  beforeAll(async () => {
    late = await ActivityFixture.open({ providerKeyWindowMs: 0 });
  });
  afterAll(() => late.close());

  const issue = (
    { tenant, runId, paymentId, arguments: { amount, reason } }: RefundInput,
    personSaysRetry = false,
  ) => late.run('issueRefund', { tenant, runId, round: 1, paymentId, amount, reason, personSaysRetry });

  test('R5: the refund is looked up by payment and run, and never sent blindly', async () => {
    const input = await late.opened(5_000);
    const { runId, paymentId } = input;
    const metadata = { countersign_run_id: runId, countersign_key: `${runId}:issue_refund` };
    const ours = await late.provider.stripe.refunds.create({ charge: paymentId, amount: 5_000, metadata });
    expect(await issue(input)).toMatchObject({ id: ours.id, status: 'succeeded' });
    expect(await late.provider.refunds(paymentId)).toHaveLength(1);
  });

  test('R5: where none is found a person must decide, and nothing is sent', async () => {
    const input = await late.opened(5_000);
    await expect(issue(input)).rejects.toMatchObject({ type: 'provider_key_reused', nonRetryable: true });
    expect(await late.provider.refunds(input.paymentId)).toEqual([]);
  });

  test("R13: on a person's word it is sent again, under the same key, and looked up before", async () => {
    const input = await late.opened(5_000);
    await expect(issue(input)).rejects.toMatchObject({ type: 'provider_key_reused' });
    const issued = await issue(input, true);
    expect(await issue(input, true)).toEqual(issued);
    expect(await late.provider.refunds(input.paymentId)).toMatchObject([
      { id: issued.id, metadata: { countersign_key: `${input.runId}:issue_refund` } },
    ]);
  });
});

import type { RefundInput } from '../../src/domain/refund/state';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());
afterEach(() => stand.provider.admin('DELETE', 'faults'));

describe('issueRefund', () => {
  const toIssue = ({ tenant, runId, paymentId, arguments: { amount, reason } }: RefundInput) => ({
    tenant,
    runId,
    round: 1,
    paymentId,
    amount,
    reason,
    personSaysRetry: false,
  });
  const effectOf = (runId: string) => stand.in((unit) => unit.effects.find(`${runId}:issue_refund`));
  const balanceOf = (paymentId: string) => stand.in((unit) => unit.ledger.find(paymentId));
  const made = async (charge: string) => (await stand.provider.refunds(charge)).map((r) => [r.id, r.amount]);

  test('R1: executed twice it is one refund under one key, and both attempts are counted', async () => {
    const input = await stand.opened(5_000);
    const issued = await stand.twice('issueRefund', toIssue(input));
    expect(await made(input.paymentId)).toEqual([[issued.id, 5_000]]);
    expect(await effectOf(input.runId)).toMatchObject({ attempts: 2, state: 'sent' });
    const log = await stand.provider.admin('GET', `requests?idempotency_key=${input.runId}:issue_refund`);
    expect(log).toMatchObject({ counts: { total: 2, replayed: 1, keys: 1 } });
  });

  test('R1: the key is on record before the first call is made', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.admin('POST', 'faults', { kind: 'cut_before', match: { method: 'POST' } });
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'provider_unknown',
    });
    expect(await effectOf(input.runId)).toMatchObject({ state: 'unknown', attempts: 1 });
    expect(await made(input.paymentId)).toEqual([]);
  });

  test('R12: an answer that is lost is unknown and stays held; the next attempt finds the refund that was made', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.admin('POST', 'faults', { kind: 'cut_after_commit', match: { method: 'POST' } });
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'provider_unknown',
      nonRetryable: false,
    });
    expect(await balanceOf(input.paymentId)).toMatchObject({
      unknown: 5_000,
      reserved: 0,
      remaining: 95_000,
    });
    const issued = await stand.run('issueRefund', toIssue(input));
    expect(await made(input.paymentId)).toEqual([[issued.id, 5_000]]);
  });

  test('R13: after several attempts without an answer the list is read too, before the key is sent again', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.admin('POST', 'faults', { kind: 'cut_after_commit', match: { method: 'POST' } });
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'provider_unknown',
    });
    await query(stand.database.adminUrl, 'update effects set attempts = 4 where run_id = $1', [input.runId]);
    const issued = await stand.run('issueRefund', toIssue(input));
    expect(await made(input.paymentId)).toEqual([[issued.id, 5_000]]);
    // Found by looking: the key was sent once.
    const log = await stand.provider.admin('GET', `requests?idempotency_key=${input.runId}:issue_refund`);
    expect(log).toMatchObject({ counts: { total: 1 } });
  });

  test('R13: an error that the provider repeats although it has paid is reconciled: the refund is found, no other is made', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.admin('POST', 'faults', {
      kind: 'status_500',
      afterEffect: true,
      match: { method: 'POST' },
    });
    const issued = await stand.twice('issueRefund', toIssue(input));
    expect(await made(input.paymentId)).toEqual([[issued.id, 5_000]]);
    const log = await stand.provider.admin('GET', `requests?idempotency_key=${input.runId}:issue_refund`);
    expect(log).toMatchObject({ counts: { total: 2, replayed: 1, keys: 1 } });
  });

  test('R13: an error that it repeats without having paid stays unknown and held, under the same key', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.admin('POST', 'faults', { kind: 'status_500', match: { method: 'POST' } });
    for (let i = 0; i < 2; i += 1) {
      await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
        type: 'provider_error',
        nonRetryable: false,
      });
    }
    expect(await made(input.paymentId)).toEqual([]);
    expect(await balanceOf(input.paymentId)).toMatchObject({ unknown: 5_000, reserved: 0 });
    const log = await stand.provider.admin('GET', `requests?idempotency_key=${input.runId}:issue_refund`);
    expect(log).toMatchObject({ counts: { total: 2, replayed: 1, keys: 1 } });
  });

  test('R4: a call that the provider has refused is never sent again under its key', async () => {
    const input = await stand.opened(5_000);
    const { id } = (await stand.provider.admin('POST', 'disputes', { charge: input.paymentId })) as {
      id: string;
    };
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'payment_disputed',
      nonRetryable: true,
    });
    expect(await effectOf(input.runId)).toMatchObject({ state: 'refused', errorCode: 'payment_disputed' });
    expect(await balanceOf(input.paymentId)).toMatchObject({ reserved: 5_000, unknown: 0 });
    await stand.provider.admin('POST', `disputes/${id}/close`, { outcome: 'won' });
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'payment_disputed',
    });
    const log = await stand.provider.admin('GET', `requests?idempotency_key=${input.runId}:issue_refund`);
    expect(log).toMatchObject({ counts: { total: 1 } });
    await stand.run('issueRefund', { ...toIssue(input), round: 2 });
    expect(await made(input.paymentId)).toHaveLength(1);
  });

  test('R4: another amount under the key of this run is never sent', async () => {
    const input = await stand.opened(5_000);
    await stand.run('issueRefund', toIssue(input));
    const other = { ...toIssue(input), amount: { minor: 4_000, currency: 'USD' } };
    await expect(stand.run('issueRefund', other)).rejects.toMatchObject({
      type: 'provider_key_reused',
      nonRetryable: true,
    });
    expect(await made(input.paymentId)).toHaveLength(1);
  });

  test('R15: refunded already, but not by this run, is a refusal and moves nothing', async () => {
    const input = await stand.opened(5_000);
    await stand.provider.stripe.refunds.create({ charge: input.paymentId });
    await expect(stand.run('issueRefund', toIssue(input))).rejects.toMatchObject({
      type: 'provider_refused',
      nonRetryable: true,
    });
    expect(await made(input.paymentId)).toHaveLength(1);
    expect(await effectOf(input.runId)).toMatchObject({ state: 'refused' });
  });

  test('R28: it beats while the provider takes its time', async () => {
    const input = await stand.opened(5_000);
    const before = stand.heartbeats;
    await stand.provider.admin('POST', 'faults', { kind: 'latency', ms: 1_300, match: { method: 'POST' } });
    await stand.run('issueRefund', toIssue(input));
    expect(stand.heartbeats).toBeGreaterThan(before);
  });
});

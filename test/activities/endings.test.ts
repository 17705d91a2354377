import type { RefundInput, RefundResult } from '../../src/domain/refund/state';
import type { ProviderRefund } from '../../src/ports/payments';
import { query } from '../support/database';
import { ActivityFixture } from './activityFixture';

let stand: ActivityFixture;
beforeAll(async () => {
  stand = await ActivityFixture.open();
});
afterAll(() => stand.close());

const balanceOf = (paymentId: string) => stand.in((unit) => unit.ledger.find(paymentId));
const runOf = (runId: string) => stand.in((unit) => unit.runs.find(runId));

async function issued(minor: number): Promise<{ input: RefundInput; refund: ProviderRefund }> {
  const input = await stand.opened(minor);
  const { tenant, runId, paymentId } = input;
  const { amount, reason } = input.arguments;
  return {
    input,
    refund: await stand.run('issueRefund', {
      tenant,
      runId,
      round: 1,
      paymentId,
      amount,
      reason,
      personSaysRetry: false,
    }),
  };
}

const toSettle = ({ tenant, runId, paymentId, arguments: args }: RefundInput, refund: ProviderRefund) => ({
  tenant,
  runId,
  round: 1,
  paymentId,
  refund,
  arguments: args,
});

describe('settleRefund', () => {
  test('R36: executed twice, what is paid is paid once', async () => {
    const { input, refund } = await issued(5_000);
    expect(await stand.twice('settleRefund', toSettle(input, refund))).toBe('paid');
    expect(await balanceOf(input.paymentId)).toMatchObject({
      refunded: 5_000,
      reserved: 0,
      remaining: 95_000,
    });
    expect(await runOf(input.runId)).toMatchObject({ money: 'paid', executed: { amount: { minor: 5_000 } } });
  });

  test('R16: pending stays held, and becomes paid when the provider says so', async () => {
    await stand.provider.admin('POST', 'faults', { kind: 'refund_pending', match: { path: '/v1/refunds' } });
    const { input, refund } = await issued(5_000);
    expect(await stand.twice('settleRefund', toSettle(input, refund))).toBe('pending');
    expect(await balanceOf(input.paymentId)).toMatchObject({ refunded: 0, reserved: 5_000 });
    await stand.provider.admin('POST', `refunds/${refund.id}`, { status: 'succeeded' });
    const checked = await stand.twice('checkRefund', { refundId: refund.id });
    expect(await stand.twice('settleRefund', toSettle(input, checked))).toBe('paid');
    expect(await balanceOf(input.paymentId)).toMatchObject({ refunded: 5_000, reserved: 0 });
  });

  test('R8: a refund that failed gives the amount back once', async () => {
    await stand.provider.admin('POST', 'faults', { kind: 'refund_pending', match: { path: '/v1/refunds' } });
    const { input, refund } = await issued(5_000);
    await stand.provider.admin('POST', `refunds/${refund.id}`, {
      status: 'failed',
      failureReason: 'expired_or_canceled_card',
    });
    const checked = await stand.run('checkRefund', { refundId: refund.id });
    expect(await stand.twice('settleRefund', toSettle(input, checked))).toBe('failed');
    expect(await balanceOf(input.paymentId)).toMatchObject({ refunded: 0, reserved: 0, remaining: 100_000 });
  });
});

describe('notifyRequester, proposeMemory and archiveRun', () => {
  const completed: RefundResult = {
    outcome: 'completed',
    refundId: 're_1',
    amount: { minor: 5_000, currency: 'USD' },
  };

  const toldOf = (runId: string) =>
    query<{ template: string }>(
      stand.database.adminUrl,
      `select template, recipient, data from notifications where run_id = $1 order by created_at`,
      [runId],
    );

  test('R19: the outcome is told once, however often the step is done', async () => {
    const { tenant, runId } = await stand.opened(5_000);
    const tell = { tenant, runId, round: 1, recipient: 'service', result: completed };
    await Promise.all(Array.from({ length: 5 }, () => stand.run('notifyRequester', tell)));
    await stand.twice('notifyRequester', tell);
    expect(await toldOf(runId)).toEqual([
      {
        template: 'refund_completed',
        recipient: 'service',
        data: { amount: { minor: 5_000, currency: 'USD' }, code: null },
      },
    ]);
    expect(await stand.events(runId)).toContain('notified');
  });

  test('R19: what is true no more after a reset is corrected once; what failed later was told already', async () => {
    const { tenant, runId } = await stand.opened(5_000);
    const tell = { tenant, runId, round: 1, recipient: 'service' };
    await stand.run('notifyRequester', { ...tell, result: { outcome: 'rejected' } });
    await stand.twice('notifyRequester', { ...tell, result: completed });
    const later = { runId, recipient: 'service', template: 'refund_failed_later', data: {} } as const;
    await stand.in((unit) => unit.notifications.tell({ key: `${runId}:notify:reversed:re_1`, ...later }));
    await stand.twice('notifyRequester', { ...tell, result: { outcome: 'failed' } });
    expect((await toldOf(runId)).map(({ template }) => template)).toEqual([
      'refund_rejected',
      'refund_completed',
      'refund_failed_later',
    ]);
  });

  test('R47: the outcome is remembered once', async () => {
    const { tenant, runId, arguments: args } = await stand.opened(5_000);
    const remember = { tenant, owner: 'service', runId, ...args, refundId: 're_1' };
    const verdict = await stand.twice('proposeMemory', remember);
    expect(verdict).toMatchObject({ decisionId: expect.any(String), allowed: true });
    const decisions = await query(
      stand.database.adminUrl,
      `select 1 from memory_decisions where request_key = $1`,
      [`${runId}:remember`],
    );
    expect(decisions).toHaveLength(1);
  });

  test.each([
    ['expired', 'expired', 'expired'],
    ['cancelled', 'cancelled', 'cancelled'],
    ['failed', 'provider_refused', 'cancelled'],
  ] as const)(
    'R31: archived as %s, twice, its approval is closed and what it held is where it belongs',
    async (outcome, code, status) => {
      const { input, approval } = await stand.published(12_000);
      const { tenant, runId } = input;
      const result: RefundResult = { outcome, code };
      await stand.twice('archiveRun', { tenant, runId, result, epoch: stand.epoch, now: Date.now() });
      expect(await runOf(runId)).toMatchObject({ phase: outcome, result });
      expect(await stand.in((unit) => unit.approvals.find(approval.id))).toMatchObject({
        approval: { status },
      });
      expect(await balanceOf(input.paymentId)).toMatchObject({ reserved: 0 });
      expect((await stand.events(runId)).filter((e) => e === outcome)).toHaveLength(1);
    },
  );
});

describe('what leaves an activity that fails', () => {
  const flagged = { code: 'internal', tried: [], actions: [], round: 1, epoch: 'e', now: 1 } as const;

  test('R32: a database that is away is to be asked again, and its address is in no history', async () => {
    const away = await ActivityFixture.open({
      databaseUrl: 'postgresql://somebody:secret@127.0.0.1:1/nothing',
    });
    const failure = await away
      .run('flagForReview', { ...flagged, tenant: 'acme', runId: 'r', detail: 'd' })
      .catch((error: unknown) => error);
    await away.close();
    expect(failure).toMatchObject({ type: 'dependency_unavailable', nonRetryable: false });
    expect(JSON.stringify(failure)).not.toMatch(/secret|somebody|127\.0\.0\.1/);
  });

  test('R39: an unexpected error says its kind, and none of the data that it quotes', async () => {
    const { tenant, runId } = await stand.opened(5_000);
    const detail = { text: 'quoted', circular: undefined as unknown };
    detail.circular = detail;
    const failure = await stand
      .run('flagForReview', {
        ...flagged,
        tenant,
        runId,
        detail: detail as unknown as string,
      })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'internal', nonRetryable: false, message: 'unexpected TypeError' });
  });
});

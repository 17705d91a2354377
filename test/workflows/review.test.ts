import type { RefundView } from '../../src/application/views';
import type { Answer } from '../support/api';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, eventsOf, paidOut, refundCalls, told } from './evidence';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterEach(() => stack.provider.admin('DELETE', 'faults'));
afterAll(() => stack.stop());

const service = () => stack.as('service');

const fault = (charge: string, kind: string, more: Record<string, unknown> = {}) =>
  stack.provider.admin('POST', 'faults', { kind, match: { method: 'POST', payment: charge }, ...more });

const review = (
  runId: string,
  action: string,
  refundId?: string,
  who: 'lead' | 'reviewer1' | 'agent' = 'lead',
) => stack.as(who).call('POST', `/v1/refunds/${runId}/review`, { action, refundId });

async function start(charge: string, amount: string, who: 'service' | 'lead' = 'service'): Promise<string> {
  const { body } = await stack.as(who).startRefund({ paymentId: charge, amount });
  return (body as { runId: string }).runId;
}

/** The key's age at the provider and in our journal, as a day would make it. */
async function aDayPasses(runId: string): Promise<void> {
  await query(
    stack.database.adminUrl,
    `update effects set first_sent_at = first_sent_at - interval '25 hours',
       updated_at = updated_at - interval '25 hours' where run_id = $1`,
    [runId],
  );
  await stack.provider.admin('DELETE', 'idempotency_keys');
}

/** A run whose call got no answer, whose key the provider has forgotten, and for which nothing is found. */
async function unknownBeyondTheWindow(charge: string, amount: string, who: 'service' | 'lead' = 'service') {
  await fault(charge, 'cut_before', { times: null });
  const runId = await start(charge, amount, who);
  await until(async () => (await eventsOf(stack, runId)).includes('refund_outcome_unknown'));
  await aDayPasses(runId);
  await stack.provider.admin('DELETE', 'faults');
  return { runId, refund: await service().untilPhase(runId, 'needs_review') };
}

describe('an outcome that stays unknown', () => {
  test('R13: beyond the key window it is looked up, a person is asked, and trying again safely pays once', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId, refund } = await unknownBeyondTheWindow(charge, '12.00');
    expect(refund.review).toMatchObject({
      code: 'provider_key_reused',
      actions: ['retry', 'resolve_paid', 'fail'],
      tried: expect.arrayContaining([expect.stringContaining('asked for a refund')]),
    });
    expect(refund.result).toBeNull();
    expect(await balanceOf(stack, charge)).toMatchObject({ unknown: 1_200, reserved: 0 });

    const answer = await review(runId, 'retry');
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    await service().untilPhase(runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[1_200, 'succeeded']]);
    expect(new Set((await refundCalls(stack, charge)).map((c) => c.idempotencyKey))).toEqual(
      new Set([`${runId}:issue_refund`]),
    );
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_200, unknown: 0, reserved: 0 });
    expect(await told(stack, runId)).toEqual(['refund_completed']);
    const lines = await auditOf(stack, runId);
    for (const event of ['review_ordered', 'review_retry'])
      expect(lines.filter((l) => l.event === event)).toMatchObject([{ actor: 'lead' }]);
  });

  test('R13: where the refund is found under our key it is adopted, and nobody is asked', async () => {
    const charge = await stack.provider.charge(20_000);
    await fault(charge, 'cut_after_commit', { times: null });
    const runId = await start(charge, '11.00');
    await until(async () => (await eventsOf(stack, runId)).includes('refund_outcome_unknown'));
    await aDayPasses(runId);
    await stack.provider.admin('DELETE', 'faults');
    await service().untilPhase(runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[1_100, 'succeeded']]);
    expect(await eventsOf(stack, runId)).not.toContain('needs_review');
  });

  test('R15: resolved as paid only by a refund of this payment and amount that pays nobody else', async () => {
    const [charge, other] = [await stack.provider.charge(20_000), await stack.provider.charge(20_000)];
    const { runId } = await unknownBeyondTheWindow(charge, '13.00');
    const byHand = (of: string, amount: number) =>
      stack.provider.stripe.refunds.create({ charge: of, amount });
    const paid = await service().untilPhase(await start(charge, '14.00'), 'completed');
    for (const wrong of [
      (await byHand(other, 1_300)).id,
      (await byHand(charge, 1_299)).id,
      paid.result?.refundId ?? '',
      're_of_nobody',
    ]) {
      const refused = await review(runId, 'resolve_paid', wrong);
      expect([wrong, refused.status, refused.body.code]).toEqual([wrong, 409, 'review_contradicted']);
    }
    const right = await byHand(charge, 1_300);
    expect((await review(runId, 'resolve_paid', right.id)).status).toBe(200);
    const done = await service().untilPhase(runId, 'completed');
    expect(done.result).toMatchObject({ refundId: right.id, amount: { value: '13.00' } });
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_400, unknown: 0, reserved: 0 });
    const [row] = await query<{ elsewhere: number }>(
      stack.database.adminUrl,
      `select refunded_elsewhere::int as elsewhere from payments where payment_id = $1`,
      [charge],
    );
    expect(row?.elsewhere).toBe(1_299 + 1_300);
  });

  test('R15: a refund made by hand settles nothing while the provider has the run’s own as well', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await unknownBeyondTheWindow(charge, '13.50');
    const { refunds } = stack.provider.stripe;
    // Its own call arrived after all, late.
    const metadata = { countersign_run_id: runId, countersign_key: `${runId}:issue_refund` };
    const own = await refunds.create({ charge, amount: 1_350, metadata });
    const byHand = await refunds.create({ charge, amount: 1_350 });
    const refused = await review(runId, 'resolve_paid', byHand.id);
    expect([refused.status, refused.body.code, refused.body.refundId]).toEqual([
      409,
      'review_contradicted',
      own.id,
    ]);
    expect((await review(runId, 'resolve_paid', own.id)).status).toBe(200);
    const done = await service().untilPhase(runId, 'completed');
    expect(done.result).toMatchObject({ refundId: own.id });
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 1_350, unknown: 0, reserved: 0 });
  });

  test('R8: failed by a person only where the provider shows nothing of ours; then the amount is free again', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await unknownBeyondTheWindow(charge, '15.00');
    const early = await review(runId, 'fail');
    expect([early.status, early.body.code]).toEqual([409, 'review_contradicted']);
    await aDayPasses(runId);
    expect((await review(runId, 'fail')).status).toBe(200);
    await service().untilPhase(runId, 'failed');
    expect(await paidOut(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ refunded: 0, unknown: 0, reserved: 0 });
    expect(await told(stack, runId)).toEqual(['refund_failed']);
  });

  test('R23: only a person of the reviewing group settles it, and not whoever asked for the money', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await unknownBeyondTheWindow(charge, '16.00', 'lead');
    const answers = [
      await review(runId, 'retry', undefined, 'reviewer1'),
      await review(runId, 'retry', undefined, 'agent'),
      await review(runId, 'retry'),
      await review(runId, 'resolve_paid'),
    ].map(({ status, body }: Answer<{ code: string }>) => [status, body.code]);
    expect(answers).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [403, 'separation_of_duties'],
      [422, 'invalid_request'],
    ]);
    const refused = (await auditOf(stack, runId)).filter((l) => l.event === 'review_refused');
    expect(refused.map((l) => [l.actor, l.reason])).toEqual([
      ['reviewer1', 'forbidden'],
      ['agent', 'forbidden'],
      ['lead', 'separation_of_duties'],
    ]);
    expect(await paidOut(stack, charge)).toEqual([]);
  });

  test('R25: an order about a run that does not wait for one is refused', async () => {
    const charge = await stack.provider.charge(20_000);
    const done = await service().untilPhase(await start(charge, '17.00'), 'completed');
    const answer = await review(done.runId, 'retry');
    expect([answer.status, answer.body.code]).toEqual([409, 'review_not_open']);
  });

  test('R12: a long outage ends in review with what was tried, and goes on by itself when the provider is back', async () => {
    const charge = await stack.provider.charge(20_000);
    await fault(charge, 'cut_before', { times: null });
    const runId = await start(charge, '18.00');
    await until(async () => (await eventsOf(stack, runId)).includes('refund_outcome_unknown'));
    await stack.temporal.skipTime('acme', runId);
    let seen: RefundView | undefined;
    await until(async () => {
      seen = await service().refund(runId);
      return seen.review !== null;
    }, 60_000);
    expect(seen?.review).toMatchObject({
      code: 'provider_unknown',
      tried: [expect.any(String), expect.any(String)],
    });
    expect(await balanceOf(stack, charge)).toMatchObject({ unknown: 1_800 });
    await stack.provider.admin('DELETE', 'faults');
    await service().untilPhase(runId, 'completed', 60_000);
    expect(await paidOut(stack, charge)).toEqual([[1_800, 'succeeded']]);
  });
});

describe('while no worker is up', () => {
  test('R26: an order is on record, 202, and takes effect when one is', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await unknownBeyondTheWindow(charge, '19.00');
    await stack.killWorkers();
    expect((await review(runId, 'retry')).status).toBe(202);
    await stack.startWorker();
    await service().untilPhase(runId, 'completed', 60_000);
    expect(await paidOut(stack, charge)).toEqual([[1_900, 'succeeded']]);
    expect((await eventsOf(stack, runId)).filter((e) => e === 'review_retry')).toHaveLength(1);
  });
});

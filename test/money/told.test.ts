import { until } from '../support/processes';
import { paidOut, told } from '../workflows/evidence';
import { resetTo, restingPlaceOf } from '../workflows/resetting';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.stack.provider.admin('DELETE', 'faults'));
afterAll(() => scene.stop());

/** Told once, and what the provider has done with the money. */
const outcome = async (charge: string, runId: string) => [
  await told(scene.stack, runId),
  (await paidOut(scene.stack, charge)).filter(([, status]) => status === 'succeeded').length,
];

describe('what the requester is told', () => {
  test('R19: once, and true, whatever the way there: lost answers, errors, pending, insufficient balance', async () => {
    const faults: [string, Record<string, unknown>, unknown][] = [
      ['cut_after_commit', { times: 2 }, [['refund_completed'], 1]],
      ['cut_before', { times: 2 }, [['refund_completed'], 1]],
      ['status_500', { afterEffect: true }, [['refund_completed'], 1]],
      ['status_429', { retryAfterSeconds: 1 }, [['refund_completed'], 1]],
      ['refund_pending', { afterMs: 300 }, [['refund_completed'], 1]],
      ['refund_pending', { afterMs: 300, failureReason: 'expired_or_canceled_card' }, [['refund_failed'], 0]],
      ['insufficient_balance', {}, [['refund_failed'], 0]],
    ];
    await Promise.all(
      faults.map(async ([kind, more, expected]) => {
        const charge = await scene.charge();
        await scene.fault(charge, kind, more);
        const runId = await scene.start(charge, '20.00');
        await until(
          async () => ['completed', 'failed'].includes((await scene.service.refund(runId)).phase),
          60_000,
        );
        expect([kind, await outcome(charge, runId)]).toEqual([kind, expected]);
      }),
    );
  }, 90_000);

  test('R17: news of a late failure that comes three times restores the balance once and is told once', async () => {
    const charge = await scene.charge();
    const runId = await scene.start(charge, '21.00');
    const { result } = await scene.service.untilPhase(runId, 'completed');
    await scene.stack.provider.admin('POST', 'faults', {
      ...{ kind: 'webhook_duplicate', match: { event: 'refund.*' }, times: null },
    });
    await scene.stack.provider.admin('POST', `refunds/${result?.refundId}`, { status: 'failed' });
    await until(async () => (await scene.service.refund(runId)).phase === 'needs_review');
    expect((await scene.review(runId, 'fail')).status).toBe(200);
    await scene.service.untilPhase(runId, 'failed');
    expect(await outcome(charge, runId)).toEqual([['refund_completed', 'refund_failed_later'], 0]);
    const free = await scene.start(charge, '49.00');
    await scene.service.untilPhase(free, 'completed');
  });

  test('R19: rejected, then reset and paid: what was told first is corrected once', async () => {
    const charge = await scene.charge();
    const approval = await scene.service.openApproval({ paymentId: charge, amount: '120.00' });
    const { runId } = approval;
    const place = await restingPlaceOf(scene.stack, runId);
    await scene.stack.as('reviewer1').decide(approval, 'reject');
    await scene.service.untilPhase(runId, 'rejected');
    await resetTo(scene.stack, runId, place);
    let again = approval;
    await until(async () => {
      again = await scene.service.approval(approval.id);
      return again.revision > 1 && again.status === 'open';
    });
    await scene.stack.as('reviewer2').decide(again, 'approve');
    await scene.service.untilPhase(runId, 'completed');
    expect(await outcome(charge, runId)).toEqual([['refund_rejected', 'refund_completed'], 1]);
  });
});

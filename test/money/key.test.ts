import { query } from '../support/database';
import { until } from '../support/processes';
import { balanceOf, paidOut, refundCalls } from '../workflows/evidence';
import { resetTo, restingPlaceOf } from '../workflows/resetting';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.stack.provider.admin('DELETE', 'faults'));
afterAll(() => scene.stop());

const keysOf = async (charge: string) => [
  ...new Set((await refundCalls(scene.stack, charge)).map((call) => call.idempotencyKey)),
];
const journalOf = (runId: string) =>
  query<{ key: string; state: string }>(
    scene.stack.database.adminUrl,
    'select key, state from effects where run_id = $1 order by key',
    [runId],
  );

async function approved(charge: string, amount: string) {
  const approval = await scene.service.openApproval({ paymentId: charge, amount });
  const place = await restingPlaceOf(scene.stack, approval.runId);
  expect((await scene.stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
  return { runId: approval.runId, place };
}

describe('the key of one refund', () => {
  test('R4: retries, a killed worker, a reset and a deploy in between all send the one key, and one refund is made', async () => {
    const charge = await scene.charge();
    const mend = await scene.fault(charge, 'cut_before', { times: null });
    const { runId, place } = await approved(charge, '120.00');
    const calls = async () => (await refundCalls(scene.stack, charge)).length;
    const moreThan = (n: number) => until(async () => (await calls()) > n);

    await moreThan(1);
    await scene.stack.killWorkers('SIGKILL');
    const beforeDeath = await calls();
    await scene.stack.startWorker();
    await moreThan(beforeDeath);

    await resetTo(scene.stack, runId, place);
    await moreThan(await calls());

    // A deploy: the old worker finishes what it holds, a new process takes over.
    const beforeDeploy = await calls();
    await scene.stack.startWorker();
    await scene.stack.workers.at(-2)?.kill('SIGTERM');
    await moreThan(beforeDeploy);

    await mend();
    await scene.fault(charge, 'cut_after_commit');
    await scene.service.untilPhase(runId, 'completed', 60_000);
    expect(await keysOf(charge)).toEqual([`${runId}:issue_refund`]);
    expect(await paidOut(scene.stack, charge)).toEqual([[12_000, 'succeeded']]);
    expect(await journalOf(runId)).toEqual([{ key: `${runId}:issue_refund`, state: 'succeeded' }]);
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ refunded: 12_000, unknown: 0, reserved: 0 });
  }, 120_000);

  test('R4: an amount that was edited before anything was sent has the same key, and only that amount is sent', async () => {
    const charge = await scene.charge();
    const approval = await scene.service.openApproval({ paymentId: charge, amount: '130.00' });
    const edited = await scene.stack
      .as('reviewer1')
      .decide(approval, 'edit', { arguments: { amount: { value: '110.00', currency: 'USD' } } });
    expect(edited.status).toBe(200);
    await scene.service.untilPhase(approval.runId, 'completed');
    expect(await keysOf(charge)).toEqual([`${approval.runId}:issue_refund`]);
    expect(await paidOut(scene.stack, charge)).toEqual([[11_000, 'succeeded']]);
  });

  test('R4: while its outcome is unknown the amount can change no more, and nothing is sent under another key', async () => {
    const charge = await scene.charge();
    const mend = await scene.fault(charge, 'cut_before', { times: null });
    const { runId } = await approved(charge, '140.00');
    await scene.seen(runId, 'refund_outcome_unknown');
    const approval = await scene.service.approval(runId.replace('run_', 'apr_'));
    const late = await scene.stack
      .as('reviewer2')
      .decide(approval, 'edit', { arguments: { amount: { value: '90.00', currency: 'USD' } } });
    expect([late.status, late.body.code]).toEqual([409, 'already_decided']);
    expect((await scene.cancel(runId)).status).toBe(409);
    await mend();
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[14_000, 'succeeded']]);
  });

  test('R4: refused for certain, the run ends; asked for again with another amount it is another run and key', async () => {
    const charge = await scene.charge();
    await scene.fault(charge, 'insufficient_balance');
    const first = await scene.start(charge, '31.00');
    await scene.service.untilPhase(first, 'failed');
    expect(await journalOf(first)).toEqual([{ key: `${first}:issue_refund`, state: 'refused' }]);
    const second = await scene.start(charge, '30.00');
    await scene.service.untilPhase(second, 'completed');
    expect(await keysOf(charge)).toEqual([`${first}:issue_refund`, `${second}:issue_refund`]);
    expect(await paidOut(scene.stack, charge)).toEqual([[3_000, 'succeeded']]);
  });

  test('R4: refused because of a dispute, the next key is used when that is over, since the provider repeats the refusal for the first', async () => {
    const charge = await scene.charge();
    // Slow enough for the dispute to come after the last check and before the provider looks.
    await scene.fault(charge, 'latency', { ms: 1_500 });
    const { runId } = await approved(charge, '150.00');
    await scene.seen(runId, 'refund_sent');
    const dispute = (await scene.stack.provider.admin('POST', 'disputes', { charge })) as { id: string };
    const held = await scene.service.untilPhase(runId, 'needs_review');
    expect(held.review).toMatchObject({
      code: 'payment_disputed',
      actions: ['retry', 'resolve_paid', 'fail'],
    });
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ reserved: 15_000, refunded: 0 });

    expect((await scene.review(runId, 'retry')).status).toBe(200);
    await scene.seen(runId, 'needs_review', 2);
    await scene.stack.provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });
    expect((await scene.review(runId, 'retry')).status).toBe(200);
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[15_000, 'succeeded']]);
    const key = `${runId}:issue_refund`;
    expect(await keysOf(charge)).toEqual([key, `${key}:2`, `${key}:3`]);
    expect(await journalOf(runId)).toEqual([
      { key, state: 'refused' },
      { key: `${key}:2`, state: 'refused' },
      { key: `${key}:3`, state: 'succeeded' },
    ]);
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ refunded: 15_000, reserved: 0, unknown: 0 });
  });
});

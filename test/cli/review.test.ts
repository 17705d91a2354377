import { Scene } from '../money/scene';
import { paidOut } from '../workflows/evidence';
import { actor } from './actors';

describe('countersign refund review', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open();
  });
  afterAll(() => scene.stop());
  const as = (person: 'lead' | 'reviewer1') => actor(scene.stack, person);

  test('R13: what was tried is shown, a refusal says what to do, and an order lets the run go on', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '12.00');
    const shown = await as('lead')('refund', 'show', runId);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/needs_review[\s\S]*resolve_paid/)]);

    const stranger = await as('reviewer1')('refund', 'review', runId, '--action', 'retry', '--json');
    expect([stranger.code, stranger.problem?.['code']]).toEqual([1, 'forbidden']);
    const wrong = await as('lead')(
      'refund',
      'review',
      runId,
      '--action',
      'resolve_paid',
      '--refund',
      're_none',
    );
    expect([wrong.code, wrong.stdout, wrong.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('no such refund'),
    ]);
    const unclear = await as('lead')('refund', 'review', runId, '--action', 'resolve_paid', '--json');
    expect([unclear.code, unclear.problem?.['code']]).toEqual([1, 'invalid_request']);
    expect((await as('lead')('refund', 'review', runId)).code).toBe(2);

    const order = ['refund', 'review', runId, '--action', 'retry', '--comment', 'looked at the dashboard'];
    const done = await as('lead')(...order);
    expect([done.code, done.stderr, done.stdout]).toEqual([
      0,
      '',
      expect.stringContaining(`${runId} goes on`),
    ]);
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[1_200, 'succeeded']]);
    const late = await as('lead')('refund', 'review', runId, '--action', 'retry', '--json');
    expect([late.code, late.problem?.['code']]).toEqual([1, 'review_not_open']);
  });

  test('R26: with no worker up the order is on record, and the command says so', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '13.00');
    const refund = await scene.stack.provider.stripe.refunds.create({ charge, amount: 1_300 });
    await scene.stack.killWorkers();
    const order = await as('lead')(
      'refund',
      'review',
      runId,
      '--action',
      'resolve_paid',
      '--refund',
      refund.id,
    );
    expect([order.code, order.stdout]).toEqual([0, expect.stringContaining('on record')]);
    await scene.stack.startWorker();
    const { result } = await scene.service.untilPhase(runId, 'completed', 60_000);
    expect(result?.refundId).toBe(refund.id);
  });
});

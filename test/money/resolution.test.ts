import { query } from '../support/database';
import { answers, startProcess, until } from '../support/processes';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { apiCaller } from '../support/api';
import { signingKey, testTokens } from '../support/shared';
import { auditOf, balanceOf, eventsOf, historyOf, paidOut, refundCalls, told } from '../workflows/evidence';
import { idOf, resetTo } from '../workflows/resetting';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterEach(() => scene.stack.provider.admin('DELETE', 'faults'));
afterAll(() => scene.stop());

const byHand = async (charge: string, amount: number) =>
  (await scene.stack.provider.stripe.refunds.create({ charge, amount })).id;

describe('an outcome that nobody knows', () => {
  test('R5: past the key window the provider is asked for our refund before anything is sent, and what it lists is taken', async () => {
    const charge = await scene.charge();
    const mend = await scene.fault(charge, 'cut_after_commit', { times: null });
    const runId = await scene.start(charge, '12.00');
    await scene.seen(runId, 'refund_outcome_unknown');
    await scene.stack.killWorkers('SIGKILL');
    await scene.aDayPasses(runId);
    await mend();
    const sent = (await refundCalls(scene.stack, charge)).length;
    await scene.stack.startWorker();
    await scene.service.untilPhase(runId, 'completed', 60_000);
    expect(await refundCalls(scene.stack, charge)).toHaveLength(sent);
    expect(await paidOut(scene.stack, charge)).toEqual([[1_200, 'succeeded']]);
  });

  test('R13: an error that the provider repeats although it has paid ends as paid, without a second call for money', async () => {
    const charge = await scene.charge();
    await scene.fault(charge, 'status_500', { afterEffect: true });
    const runId = await scene.start(charge, '12.10');
    const done = await scene.service.untilPhase(runId, 'completed');
    const [refund] = await scene.stack.provider.refunds(charge);
    expect(done.result?.refundId).toBe(refund?.id);
    expect(await paidOut(scene.stack, charge)).toEqual([[1_210, 'succeeded']]);
    expect(await eventsOf(scene.stack, runId)).not.toContain('needs_review');
  });

  test('R13: an error that it repeats without having paid is shown to a person, held as unknown, and nothing was sent under a fresh key', async () => {
    const charge = await scene.charge();
    await scene.fault(charge, 'status_500');
    const runId = await scene.start(charge, '12.20');
    await scene.seen(runId, 'refund_outcome_unknown');
    await scene.stack.temporal.skipTime('acme', runId);
    await until(async () => (await scene.service.refund(runId)).review?.code === 'provider_error', 60_000);
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ unknown: 1_220, reserved: 0 });
    const keys = (await refundCalls(scene.stack, charge)).map((call) => call.idempotencyKey);
    expect(new Set(keys)).toEqual(new Set([`${runId}:issue_refund`]));
    expect(await paidOut(scene.stack, charge)).toEqual([]);
  });

  test('R15: of two runs that are resolved with one hand-made refund at once one is paid by it; the other is told so, and waits on', async () => {
    const charge = await scene.charge();
    const runs = [
      (await scene.unknownBeyondTheWindow(charge, '13.00')).runId,
      (await scene.unknownBeyondTheWindow(charge, '13.00')).runId,
    ];
    const refundId = await byHand(charge, 1_300);
    const answers = await Promise.all(runs.map((runId) => scene.review(runId, 'resolve_paid', refundId)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = answers.findIndex(({ status }) => status === 409);
    expect(answers[refused]?.body.code).toBe('review_contradicted');
    const [winner = '', loser = ''] = refused === 0 ? [...runs].reverse() : runs;
    await scene.service.untilPhase(winner, 'completed');
    expect((await scene.service.refund(loser)).phase).toBe('needs_review');
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ unknown: 1_300, reserved: 0, refunded: 0 });

    // It is not stuck: another refund by hand resolves it.
    expect((await scene.review(loser, 'resolve_paid', await byHand(charge, 1_300))).status).toBe(200);
    await scene.service.untilPhase(loser, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([
      [1_300, 'succeeded'],
      [1_300, 'succeeded'],
    ]);
  });

  test('R15: "refunded already" by somebody else is no success: nothing is told as paid and the amount is free again', async () => {
    const charge = await scene.charge(4_000);
    await scene.fault(charge, 'latency', { ms: 1_200 });
    const runId = await scene.start(charge, '40.00');
    await scene.seen(runId, 'refund_sent');
    await byHand(charge, 4_000);
    await scene.service.untilPhase(runId, 'failed');
    expect(await told(scene.stack, runId)).toEqual(['refund_failed']);
    expect(await paidOut(scene.stack, charge)).toEqual([[4_000, 'succeeded']]);
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ refunded: 0, reserved: 0, unknown: 0 });
  });
});

const firstTask = (history: Awaited<ReturnType<typeof historyOf>>) =>
  idOf(history.find((e) => e.workflowTaskCompletedEventAttributes));

describe('an order about a review', () => {
  test('R26: given while Temporal is away it is on record, 202, and is delivered when Temporal is back', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '14.00');
    // Another API process, to which Temporal does not answer; ours delivers what that one owes.
    const [port, nowhere] = [await claimPort(), await claimPort()];
    const cutOff = await startProcess(
      ['api'],
      {
        ...scene.stack.env,
        TEMPORAL_ADDRESS: `127.0.0.1:${nowhere}`,
        COUNTERSIGN_HTTP_PORT: String(port),
        COUNTERSIGN_SIGNING_KEY: signingKey,
        COUNTERSIGN_HASH_KEY: 'hash-key-for-tests-only',
      },
      () => answers(`http://127.0.0.1:${port}/healthz`),
    );
    const answer = await apiCaller(`http://127.0.0.1:${port}`, testTokens.acme.lead).call(
      'POST',
      `/v1/refunds/${runId}/review`,
      { action: 'retry' },
    );
    expect(answer.status).toBe(202);
    await cutOff.kill('SIGKILL');
    await scene.service.untilPhase(runId, 'completed', 60_000);
    expect(await paidOut(scene.stack, charge)).toEqual([[1_400, 'succeeded']]);
    expect((await auditOf(scene.stack, runId)).filter((l) => l.event === 'review_retry')).toHaveLength(1);
    expect(
      await query(scene.stack.database.adminUrl, 'select 1 from outbox where run_id = $1', [runId]),
    ).toEqual([]);
  }, 90_000);

  test('R27: an order of before a reset is inert: it is applied again by Temporal, refused, and the run waits for a new one', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '15.00');
    const place = firstTask(await historyOf(scene.stack, runId));
    const mend = await scene.fault(charge, 'cut_before', { times: null });
    // By signal, which Temporal applies again after a reset whatever the run's state is then.
    await scene.stack.killWorkers('SIGKILL');
    expect((await scene.review(runId, 'retry')).status).toBe(202);
    await scene.stack.startWorker();
    await scene.seen(runId, 'review_retry');
    await resetTo(scene.stack, runId, place);
    await mend();
    await scene.seen(runId, 'review_refused');
    expect(await paidOut(scene.stack, charge)).toEqual([]);
    await until(async () => (await scene.service.refund(runId)).phase === 'needs_review');
    expect((await scene.review(runId, 'retry')).status).toBe(200);
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[1_500, 'succeeded']]);
  }, 90_000);

  test('R27: one that nobody had applied before the reset is refused too, since it was about a review that is gone', async () => {
    const charge = await scene.charge();
    const { runId } = await scene.unknownBeyondTheWindow(charge, '16.00');
    const place = firstTask(await historyOf(scene.stack, runId));
    await scene.stack.killWorkers('SIGKILL');
    expect((await scene.review(runId, 'retry')).status).toBe(202);
    await resetTo(scene.stack, runId, place);
    await scene.stack.startWorker();
    await scene.seen(runId, 'review_refused');
    expect(await paidOut(scene.stack, charge)).toEqual([]);
    await until(async () => (await scene.service.refund(runId)).phase === 'needs_review');
    expect((await scene.review(runId, 'retry')).status).toBe(200);
    await scene.service.untilPhase(runId, 'completed');
    expect(await paidOut(scene.stack, charge)).toEqual([[1_600, 'succeeded']]);
  }, 90_000);
});

import type { BrakeState } from '../../src/client';
import { actor } from '../cli/actors';
import { query } from '../support/database';
import { until } from '../support/processes';
import { auditOf, balanceOf, eventsOf, paidOut, refundCalls, told } from '../workflows/evidence';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterEach(async () => {
  await scene.brake(false);
  await scene.stack.provider.admin('DELETE', 'faults');
});
afterAll(() => scene.stop());

/** The run's call to the provider is held back by the switch. */
async function heldBack(runId: string): Promise<void> {
  await until(async () => {
    const { raw } = await scene.stack.temporal.handle('acme', runId).describe();
    return raw.pendingActivities?.[0]?.lastFailure?.applicationFailureInfo?.type === 'brake_engaged';
  });
}

/** The switch for all tenants is the operator's, who has the owner's login. */
const forAll = (engaged: boolean) =>
  query(
    scene.stack.database.ownerUrl,
    `insert into brakes (scope, engaged, reason, actor) values ('*', $1, 'an incident', 'operations')`,
    [engaged],
  );

describe('the kill switch while refunds are on their way', () => {
  test('R55: a call in flight is let finish and its outcome counts; nothing new is sent, re-sends neither, and all of it is paid once after the release', async () => {
    const [flying, lost, waiting] = [await scene.charge(), await scene.charge(), await scene.charge()];
    await scene.fault(flying, 'latency', { ms: 2_000 });
    const mend = await scene.fault(lost, 'cut_after_commit', { times: null });
    const [inFlight, unknown] = [await scene.start(flying, '10.00'), await scene.start(lost, '11.00')];
    await scene.seen(inFlight, 'refund_sent');
    await scene.seen(unknown, 'refund_outcome_unknown');
    expect((await scene.brake(true, 'something looks wrong')).status).toBe(200);

    const held = await scene.start(waiting, '12.00');
    await scene.service.untilPhase(inFlight, 'completed');
    await heldBack(held);
    await heldBack(unknown);
    await mend();
    const sent = (await refundCalls(scene.stack, lost)).length;
    // A worker that dies and comes back finds the switch as it was left.
    await scene.stack.killWorkers('SIGKILL');
    await scene.stack.startWorker();
    await heldBack(held);
    expect(await refundCalls(scene.stack, waiting)).toEqual([]);
    expect(await refundCalls(scene.stack, lost)).toHaveLength(sent);
    expect(await balanceOf(scene.stack, waiting)).toMatchObject({ reserved: 1_200 });
    expect(await balanceOf(scene.stack, lost)).toMatchObject({ unknown: 1_100 });

    await scene.brake(false, 'it was nothing');
    for (const runId of [held, unknown]) await scene.service.untilPhase(runId, 'completed', 60_000);
    const paid = await Promise.all([flying, lost, waiting].map((charge) => paidOut(scene.stack, charge)));
    expect(paid).toEqual([[[1_000, 'succeeded']], [[1_100, 'succeeded']], [[1_200, 'succeeded']]]);
  }, 90_000);

  test('R55: pulled for all it holds every tenant, also one whose own switch was released', async () => {
    const [ours, theirs] = [await scene.charge(), await scene.charge()];
    await forAll(true);
    await scene.brake(false, 'our own is not pulled');
    const runId = await scene.start(ours, '13.00');
    const globex = scene.stack.as('service', 'globex');
    const other = await globex.startRefund({ paymentId: theirs, amount: '13.00' });
    await heldBack(runId);
    await globex.untilPhase(other.body.runId, 'executing');
    for (const tenant of ['acme', 'globex'] as const) {
      const { body } = await scene.stack.as('reviewer1', tenant).call('GET', '/v1/brake');
      expect((body as BrakeState).engaged).toMatchObject({
        scope: '*',
        actor: 'operations',
        reason: 'an incident',
      });
    }
    const shown = await actor(scene.stack, 'reviewer1')('brake', 'show');
    expect(shown.stdout).toMatch(/PULLED for all tenants by operations.*an incident/);
    await forAll(false);
    await scene.service.untilPhase(runId, 'completed', 60_000);
    await globex.untilPhase(other.body.runId, 'completed', 60_000);
    expect(await paidOut(scene.stack, ours)).toEqual([[1_300, 'succeeded']]);
    expect(await paidOut(scene.stack, theirs)).toEqual([[1_300, 'succeeded']]);
  }, 90_000);

  test('R55: what it holds back can be cancelled, since nothing was sent; whoever cancelled is on the audit log', async () => {
    const charge = await scene.charge();
    await scene.brake(true);
    const runId = await scene.start(charge, '14.00');
    await heldBack(runId);
    const answer = await scene.cancel(runId);
    expect([answer.status, answer.body.phase]).toEqual([200, 'cancelled']);
    expect((await scene.cancel(runId)).status).toBe(200);
    expect(await balanceOf(scene.stack, charge)).toMatchObject({ reserved: 0, unknown: 0, refunded: 0 });
    await scene.brake(false);
    // The exact amount is free again, and only what is asked for now is paid.
    const again = await scene.start(charge, '15.00');
    await scene.service.untilPhase(again, 'completed', 60_000);
    expect(await paidOut(scene.stack, charge)).toEqual([[1_500, 'succeeded']]);
    expect(await told(scene.stack, runId)).toEqual(['refund_cancelled']);
    const line = (await auditOf(scene.stack, runId)).find(({ event }) => event === 'cancelled_unsent');
    expect(line?.actor).toBe('service');
  }, 60_000);

  test('R55: a cancel that comes while no worker is up is owed to the run that the switch holds, and applied', async () => {
    const charge = await scene.charge();
    await scene.brake(true);
    const runId = await scene.start(charge, '15.50');
    await heldBack(runId);
    await scene.stack.killWorkers('SIGKILL');
    expect((await scene.cancel(runId)).status).toBe(202);
    await scene.stack.startWorker();
    await scene.service.untilPhase(runId, 'cancelled', 60_000);
    expect(await refundCalls(scene.stack, charge)).toEqual([]);
  }, 90_000);

  test('R55: once the call is on record a cancel is refused, also while the switch holds its re-sends', async () => {
    const charge = await scene.charge();
    const mend = await scene.fault(charge, 'cut_after_commit', { times: null });
    const runId = await scene.start(charge, '16.00');
    await scene.seen(runId, 'refund_outcome_unknown');
    await scene.brake(true);
    await heldBack(runId);
    const answer = await scene.cancel(runId);
    expect([answer.status, answer.body.code]).toEqual([409, 'run_not_cancellable']);
    await mend();
    await scene.brake(false);
    await scene.service.untilPhase(runId, 'completed', 60_000);
    expect(await paidOut(scene.stack, charge)).toEqual([[1_600, 'succeeded']]);
  }, 60_000);

  test('R31: whenever a cancel comes, it is either cancelled and unpaid, or refused and paid', async () => {
    const runs = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const charge = await scene.charge();
        const runId = await scene.start(charge, '17.00');
        const reach = [undefined, 'policy_evaluated', 'authorized', 'refund_sent'][i % 4];
        if (reach !== undefined) await scene.seen(runId, reach);
        return { charge, runId, answer: await scene.cancel(runId) };
      }),
    );
    for (const { charge, runId, answer } of runs) {
      let phase = '';
      await until(async () =>
        ['cancelled', 'completed'].includes((phase = (await scene.service.refund(runId)).phase)),
      );
      const paid = (await paidOut(scene.stack, charge)).length;
      const events = await eventsOf(scene.stack, runId);
      expect([phase, paid, events.includes('refund_succeeded')]).toEqual(
        phase === 'cancelled' ? ['cancelled', 0, false] : ['completed', 1, true],
      );
      // 202 where no worker answered in time: what it came to is read from the run.
      expect([202, phase === 'cancelled' ? 200 : 409]).toContain(answer.status);
    }
  }, 60_000);
});

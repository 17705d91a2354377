import { untilHttpAnswers, untilReady } from '../../../sandbox/embedded/readiness';
import { patienceMs } from '../countersignApi';
import { paid } from '../providerBooks';
import type { Scene, Stage } from '../stage';

/** One refund of 120.00, during which the worker and the Temporal server die. The payment would bear three of them. */
export const deaths: Scene = {
  title: 'Everybody dies, the refund goes on',
  async play(stage) {
    const { provider, temporal, workers, checks } = stage;
    const charge = await provider.charge(360_00);
    stage.say(`A customer paid 360.00 USD: ${charge}. A third of it arrived broken.`);
    const workerA = await workers.start('worker-A');

    const runId = await stage.propose(charge, '120.00');
    stage.say(`The service asks for 120.00 back: ${runId}. Above 50.00, one person must approve.`);
    await stage.service.follow(runId, 'approval_opened');
    await temporal.untilPhase(runId, 'waiting_approval');
    checks.equal(
      'worker A takes the refund to waiting_approval',
      (await stage.refund(runId)).phase,
      'waiting_approval',
    );
    const before = await temporal.execution(runId);

    await workers.kill(workerA);
    await killTemporal(stage);
    checks.equal(
      'the same run waits on after worker and Temporal died',
      await temporal.execution(runId),
      before,
    );

    stage.say('The reviewer approves. No worker lives; nobody can act on it.');
    const answer = await stage.decide(stage.reviewer1, await stage.approvalOf(runId), 'approve');
    checks.equal(
      'approved while no worker lives: 202, recorded',
      { http: answer.status, status: answer.body.status },
      { http: 202, status: 'recorded' },
    );
    checks.equal('nothing has been sent to the provider yet', (await provider.refundCalls(charge)).total, 0);

    const workerB = await workers.start('worker-B');
    checks.equal('worker B finishes it', await stage.untilDone(runId), 'completed');
    checks.equal('two processes worked on this one run: A, then B', await temporal.workersOf(runId), [
      workerA.pid,
      workerB.pid,
    ]);
    checks.equal('the provider counts one refund of exactly 120.00', await provider.refundsOf(charge), [
      paid(120_00),
    ]);
  },
};

/** By its pid, without a word to the supervisor, which brings it back from its database file. */
async function killTemporal(stage: Stage): Promise<void> {
  const killed = stage.report.pids.temporal;
  if (killed === null) throw new Error('the Temporal server is not ours');
  stage.say(`The Temporal server (pid ${killed}) is killed too: SIGKILL.`);
  process.kill(killed, 'SIGKILL');
  const signal = AbortSignal.timeout(patienceMs);
  await untilReady(async () => {
    const { temporal } = stage.report.pids;
    if (temporal === null || temporal === killed)
      throw new Error('the Temporal server was not started again');
  }, signal);
  await untilHttpAnswers(`${stage.report.apiUrl}/readyz`, signal);
  stage.say(`Temporal is back from its file (pid ${stage.report.pids.temporal}).`);
}

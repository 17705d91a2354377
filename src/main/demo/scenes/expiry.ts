import { paid } from '../providerBooks';
import type { Scene } from '../stage';

const hourMs = 3_600_000;

/** Nobody decides for 72 hours, which the real server is told to skip. */
export const expiry: Scene = {
  title: 'Nobody answers for 72 hours',
  async play(stage) {
    const { provider, temporal, checks } = stage;
    const charge = await provider.charge(300_00);
    const paidBack = await stage.proposeAndWait(charge, '100.00');
    await stage.decide(stage.reviewer1, paidBack, 'approve');
    await stage.untilDone(paidBack.runId);
    stage.say('100.00 of 300.00 are paid back. The other 200.00 wait for a person, who is on a mountain.');
    const approval = await stage.proposeAndWait(charge, '200.00');
    const wait = (Date.parse(approval.deadline) - Date.parse(approval.openedAt)) / hourMs;
    checks.equal('an approval waits 72 hours', wait, 72);

    stage.say("Temporal skips this run's time: three days pass.");
    await temporal.skipTime(approval.runId);
    checks.equal('after 72 hours the run expires', await stage.untilDone(approval.runId), 'expired');
    checks.equal(
      'people were reminded, then the finance lead was asked, then it ended',
      (await stage.eventsOf(approval.runId)).filter((event) =>
        ['reminded', 'escalated', 'expired'].includes(event),
      ),
      ['reminded', 'escalated', 'expired'],
    );
    const late = await stage.decide(stage.reviewer1, approval, 'approve');
    checks.equal(
      'an approval after the deadline is refused',
      [late.status, late.body.code],
      [409, 'approval_expired'],
    );
    checks.equal('the provider counts only the 100.00 of before', await provider.refundsOf(charge), [
      paid(100_00),
    ]);
    const again = await stage.ask(charge, '200.00');
    checks.equal('expiry frees the balance: the full remainder can be asked for again', again.status, 202);
  },
};

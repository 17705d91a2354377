import { paid } from '../providerBooks';
import type { Scene } from '../stage';

/** The provider commits the refund and the connection breaks before it can say so. */
export const lostAnswer: Scene = {
  title: 'The provider pays, and its answer is lost',
  async play(stage) {
    const { provider, checks } = stage;
    const charge = await provider.charge(240_00);
    stage.say('240.00 were paid, so the provider itself would not object to paying 80.00 back three times.');
    await provider.loseAnswers(charge, 2);
    const approval = await stage.proposeAndWait(charge, '80.00');
    stage.say(
      'The reviewer approves 80.00. The provider will commit it, and twice the line goes dead before the answer.',
    );
    await stage.decide(stage.reviewer1, approval, 'approve');
    checks.equal(
      'a lost answer is asked for again until it is known',
      await stage.untilDone(approval.runId),
      'completed',
    );

    const { total, cut, keys } = await provider.refundCalls(charge);
    stage.say(`The provider heard ${total} calls under ${keys} key; ${cut} answers were lost.`);
    checks.equal(
      'meanwhile the outcome is unknown, never failed',
      (await stage.eventsOf(approval.runId)).filter((event) => /unknown|refused|failed/.test(event)),
      ['refund_outcome_unknown'],
    );
    checks.equal(
      'every attempt carries the same key',
      { cut, keys, answered: total > cut },
      { cut: 2, keys: 1, answered: true },
    );
    checks.equal('the provider still counts one refund', await provider.refundsOf(charge), [paid(80_00)]);
  },
};

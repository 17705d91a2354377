import { paid } from '../providerBooks';
import type { Scene } from '../stage';

export const rejection: Scene = {
  title: 'The reviewer says no',
  async play(stage) {
    const { provider, checks } = stage;
    const charge = await provider.charge(200_00);
    const approval = await stage.proposeAndWait(charge, '200.00');
    const meanwhile = await stage.ask(charge, '0.01');
    checks.equal(
      'while all of it is asked for, not a cent more can be',
      [meanwhile.status, meanwhile.body.code],
      [422, 'exceeds_remaining'],
    );
    stage.say('200.00 are held. The reviewer rejects.');
    await stage.decide(stage.reviewer1, approval, 'reject');
    checks.equal('a rejection ends the run', await stage.untilDone(approval.runId), 'rejected');
    checks.equal(
      'rejection leaves nothing at the provider',
      { calls: (await provider.refundCalls(charge)).total, refunds: await provider.refundsOf(charge) },
      { calls: 0, refunds: [] },
    );
    checks.equal(
      'rejection frees the balance: all of it can be asked for again',
      (await stage.ask(charge, '200.00')).status,
      202,
    );
  },
};

export const editing: Scene = {
  title: 'The reviewer changes the amount',
  async play(stage) {
    const { provider, checks } = stage;
    const charge = await provider.charge(200_00);
    const approval = await stage.proposeAndWait(charge, '200.00');
    stage.say('200.00 were paid and 200.00 are asked for. The reviewer types 200.01.');
    const tooMuch = await stage.decide(stage.reviewer1, approval, 'edit', '200.01');
    const untouched = await stage.approvalOf(approval.runId);
    checks.equal(
      'an edit above the remaining balance is refused and changes nothing',
      {
        answer: [tooMuch.status, tooMuch.body.code],
        revision: untouched.revision,
        amount: 'amount' in untouched.arguments && untouched.arguments.amount.value,
      },
      { answer: [422, 'exceeds_remaining'], revision: 1, amount: '200.00' },
    );
    stage.say('Now 150.00. Lower than what was asked, so the edit is also the approval.');
    await stage.decide(stage.reviewer1, approval, 'edit', '150.00');
    checks.equal('a valid edit is executed', await stage.untilDone(approval.runId), 'completed');
    checks.equal(
      'the provider counts one refund of exactly the edited 150.00',
      await provider.refundsOf(charge),
      [paid(150_00)],
    );
  },
};

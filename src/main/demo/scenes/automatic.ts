import { paid } from '../providerBooks';
import type { Scene } from '../stage';

export const automatic: Scene = {
  title: 'Small money asks nobody',
  async play(stage) {
    const { provider, checks } = stage;
    const charge = await provider.charge(147_00);
    const runId = await stage.propose(charge, '49.00');
    const phase = await stage.untilDone(runId);
    checks.equal(
      'a small refund is automatic: nobody was asked',
      { phase, approval: (await stage.refund(runId)).approval },
      { phase: 'completed', approval: null },
    );
    checks.equal('the provider counts one refund of exactly 49.00', await provider.refundsOf(charge), [
      paid(49_00),
    ]);
  },
};

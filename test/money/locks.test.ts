import { query } from '../support/database';
import { paidOut } from '../workflows/evidence';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

describe('while the provider takes its time', () => {
  test('R7: no lock is held while the provider is called: another refund of the payment is taken and paid meanwhile', async () => {
    const charge = await scene.charge();
    const mend = await scene.fault(charge, 'latency', { ms: 10_000 });
    const slow = await scene.start(charge, '20.00');
    await scene.seen(slow, 'refund_sent');
    const quick = await scene.start(charge, '20.00');
    await scene.service.untilPhase(quick, 'completed');
    expect((await scene.service.refund(slow)).phase).toBe('executing');
    const locks = await query(
      scene.stack.database.adminUrl,
      `select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
         and clock_timestamp() - xact_start > interval '1 second'`,
    );
    expect(locks).toEqual([]);
    await mend();
    await scene.service.untilPhase(slow, 'completed');
    expect(await paidOut(scene.stack, charge)).toHaveLength(2);
  }, 60_000);
});

import { randomUUID } from 'node:crypto';
import { query } from '../support/database';
import { until } from '../support/processes';
import { balanceOf, paidOut } from '../workflows/evidence';
import { entriesOf, overdraws, totals } from './ledgerBooks';
import { Scene } from './scene';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.stop());

const captured = 5_000;
const part = 50;
const fits = captured / part;
const requests = 1_000;

describe('one payment that everybody wants refunded at once', () => {
  test('R6, R2: of 1,000 equal partial requests at once exactly the captured amount is admitted and paid; every other is refused', async () => {
    const charge = await scene.charge(captured);
    const answers = await Promise.all(
      Array.from({ length: requests }, () =>
        scene.service.startRefund({ paymentId: charge, amount: '0.50', key: randomUUID() }),
      ),
    );
    const statuses = (status: number) => answers.filter((answer) => answer.status === status);
    const refused = statuses(422);
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['exceeds_remaining']));
    const taken = statuses(202).map(({ body }) => (body as { runId: string }).runId);
    expect([taken.length, refused.length]).toEqual([fits, requests - fits]);
    expect(new Set(taken).size).toBe(fits);

    const completed = async () =>
      query(
        scene.stack.database.adminUrl,
        `select 1 from runs where payment_id = $1 and phase = 'completed'`,
        [charge],
      );
    await until(async () => (await completed()).length === fits, 120_000);
    // The provider lists at most a hundred a page: there is no other.
    const refunds = await paidOut(scene.stack, charge);
    expect(refunds).toEqual(Array.from({ length: fits }, () => [part, 'succeeded']));
    const made = await scene.stack.provider.stripe.charges.retrieve(charge);
    expect([made.amount_refunded, made.refunded]).toEqual([captured, true]);
    expect(await balanceOf(scene.stack, charge)).toEqual({
      ...{ captured, refunded: captured, unknown: 0, reserved: 0 },
    });
    const books = {
      rows: <Row extends object>(text: string, values?: unknown[]) =>
        query<Row>(scene.stack.database.adminUrl, text, values),
    };
    const entries = await entriesOf(books, charge);
    expect(totals(entries)).toMatchObject({ customer: -captured, captured: 0, refunded: captured });
    expect(overdraws(entries)).toEqual([]);
    const more = await scene.service.startRefund({ paymentId: charge, amount: '0.01' });
    expect([more.status, more.body.code]).toEqual([422, 'exceeds_remaining']);
  }, 240_000);

  test('R7: no lock is held while the provider is called: another refund of the payment is taken and paid meanwhile', async () => {
    const charge = await scene.charge(captured);
    const mend = await scene.fault(charge, 'latency', { ms: 4_000 });
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

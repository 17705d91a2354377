import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Answer } from '../support/api';
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
  /** As a caller has to: where no answer came, or the API had no time (503), the same again under the same key, later. */
  async function ask(charge: string): Promise<Answer> {
    const key = randomUUID();
    for (;;) {
      const answer = await scene.service
        .startRefund({ paymentId: charge, amount: '0.50', key })
        .catch(() => undefined);
      if (answer && answer.status !== 503) return answer;
      await setTimeout(1_000 * Number(answer?.headers.get('retry-after') ?? 1));
    }
  }

  test('R6, R2: of 1,000 equal partial requests at once exactly the captured amount is admitted and paid; every other is refused', async () => {
    const charge = await scene.charge(captured);
    const answers = await Promise.all(Array.from({ length: requests }, () => ask(charge)));
    // On a busy machine the provider may be too slow for the door to know: then the run refuses what the door took.
    for (const { status, body } of answers)
      expect(['202 ', '422 exceeds_remaining']).toContain(
        `${status} ${(body as { code?: string }).code ?? ''}`,
      );

    const endings = () =>
      query<{ phase: string; code: string | null; n: number }>(
        scene.stack.database.adminUrl,
        `select phase, result ->> 'code' as code, count(*)::int as n from runs where payment_id = $1
         group by 1, 2 order by 1`,
        [charge],
      );
    await until(
      async () => (await endings()).every(({ phase }) => ['completed', 'rejected'].includes(phase)),
      300_000,
    );
    // One that the provider was too slow for at the door is refused by its run instead, for the same reason.
    const taken = answers.filter(({ status }) => status === 202).length;
    const rejected = taken - fits;
    expect(await endings()).toEqual([
      { phase: 'completed', code: null, n: fits },
      ...(rejected > 0 ? [{ phase: 'rejected', code: 'exceeds_remaining', n: rejected }] : []),
    ]);

    // The provider lists at most a hundred a page: its own sum says that there is no other.
    expect(await paidOut(scene.stack, charge)).toEqual(
      Array.from({ length: fits }, () => [part, 'succeeded']),
    );
    const { amount_refunded, refunded } = await scene.stack.provider.stripe.charges.retrieve(charge);
    expect([amount_refunded, refunded]).toEqual([captured, true]);
    expect(await balanceOf(scene.stack, charge)).toEqual({
      captured,
      refunded: captured,
      unknown: 0,
      reserved: 0,
    });
    const entries = await entriesOf(scene.books, charge);
    expect(totals(entries)).toMatchObject({ customer: -captured, captured: 0, refunded: captured });
    expect(overdraws(entries)).toEqual([]);
    const more = await scene.service.startRefund({ paymentId: charge, amount: '0.01' });
    expect([more.status, more.body.code]).toEqual([422, 'exceeds_remaining']);
  }, 550_000);
});

import { randomUUID } from 'node:crypto';
import { query } from '../support/database';
import { TestStack } from '../support/stack';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());
afterEach(() => stack.provider.admin('DELETE', 'faults'));

const service = () => stack.as('service');

/** A request that is taken in while the provider does not answer; it answers again once this resolves. */
async function takenInBlind(paymentId: string, amount: string, currency = 'USD'): Promise<string> {
  await stack.provider.admin('POST', 'faults', { kind: 'cut_before', times: null, match: { method: 'GET' } });
  const key = randomUUID();
  const started = await service().startRefund({ paymentId, amount, currency, key });
  expect([started.status, started.body.phase]).toEqual([202, 'validating']);
  await stack.provider.admin('DELETE', 'faults');
  return started.body.runId as string;
}

async function isOnItsFeetAgain(paymentId: string, amount: string): Promise<void> {
  const again = await service().startRefund({ paymentId, amount });
  expect(again.status).toBe(202);
}

describe('while the provider does not answer', () => {
  test('R12: a request is taken in, validated when the provider is back, and paid', async () => {
    const charge = await stack.provider.charge(20_000);
    const runId = await takenInBlind(charge, '20.00');
    const done = await service().untilPhase(runId, 'completed');
    expect((await stack.provider.refunds(charge)).map((r) => [r.id, r.amount])).toEqual([
      [done.result?.refundId, 2_000],
    ]);
  });

  test('R12: slower than the patience of the door is the same as away', async () => {
    const charge = await stack.provider.charge(20_000);
    await stack.provider.admin('POST', 'faults', { kind: 'latency', ms: 2_500, match: { payment: charge } });
    const started = await service().startRefund({ paymentId: charge, amount: '20.00' });
    expect([started.status, started.body.phase]).toEqual([202, 'validating']);
    const runId = started.body.runId as string;
    await service().untilPhase(runId, 'completed');
    expect(await stack.provider.refunds(charge)).toHaveLength(1);
  });

  test.each([
    ['payment_unknown', async () => ['ch_of_nobody', '20.00', 'USD']],
    ['exceeds_remaining', async () => [await stack.provider.charge(1_999), '20.00', 'USD']],
    ['currency_mismatch', async () => [await stack.provider.charge(5_000, 'eur'), '20.00', 'USD']],
    [
      'payment_uncaptured',
      async () => [await stack.provider.charge(5_000, 'usd', { capture: false }), '20.00', 'USD'],
    ],
    ['payment_too_old', async () => [await oldCharge(), '20.00', 'USD']],
    ['payment_unknown', async () => [await foreignCharge(), '20.00', 'USD']],
  ] as const)(
    'R20: what the door would have refused as %s ends as rejected with that code',
    async (code, make) => {
      const [paymentId = '', amount = '', currency = ''] = await make();
      const runId = await takenInBlind(paymentId, amount, currency);
      const done = await service().untilPhase(runId, 'rejected');
      expect(done.result).toMatchObject({ outcome: 'rejected', code });
      const door = await service().startRefund({ paymentId, amount, currency });
      expect([door.status, door.body.code, door.body.detail]).toEqual([422, code, done.result?.detail]);
      const [held] = await query<{ money: string }>(
        stack.database.adminUrl,
        `select money from runs where run_id = $1`,
        [runId],
      );
      expect(held?.money).not.toMatch(/reserved|unknown|paid/);
    },
  );

  test('R9: of two that are taken in blind for one remainder one is paid and one rejected', async () => {
    const charge = await stack.provider.charge(3_000);
    const runs = [await takenInBlind(charge, '20.00'), await takenInBlind(charge, '20.00')];
    const ends = await Promise.all(runs.map(async (runId) => (await ended(runId)).result));
    expect(ends.map((r) => r?.outcome).sort()).toEqual(['completed', 'rejected']);
    expect(ends.find((r) => r?.outcome === 'rejected')?.code).toBe('exceeds_remaining');
    expect((await stack.provider.refunds(charge)).map((r) => r.amount)).toEqual([2_000]);
    await isOnItsFeetAgain(charge, '10.00');
  });
});

async function oldCharge(): Promise<string> {
  const id = await stack.provider.charge(20_000);
  const created = Math.floor(Date.now() / 1000) - 91 * 86_400;
  await stack.provider.admin('POST', `charges/${id}`, { created });
  return id;
}

async function foreignCharge(): Promise<string> {
  const id = await stack.provider.charge(20_000);
  expect((await stack.as('service', 'globex').startRefund({ paymentId: id, amount: '60.00' })).status).toBe(
    202,
  );
  return id;
}

async function ended(runId: string) {
  return service()
    .untilPhase(runId, 'completed')
    .catch(() => service().refund(runId));
}

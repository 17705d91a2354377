import { randomUUID } from 'node:crypto';
import { approvalIdOf } from '../support/api';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';
import { held, usd } from './orderFixture';
import { charges, intentOf, partsOf, runsOf, split } from './splitFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');

async function approve(runId: string): Promise<void> {
  await service().untilPhase(runId, 'waiting_approval');
  const approval = await service().approval(approvalIdOf(runId));
  expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
  await service().untilPhase(runId, 'completed');
}

describe('one order over several payments', () => {
  test('R11: is one refund for each, whose parts sum exactly to the whole, at the provider too', async () => {
    const payments = await charges(stack, 10_000, 10_000, 10_000);
    const answer = await split(stack, payments, '100.00');
    expect([answer.status, answer.body.state]).toEqual([202, 'in_progress']);
    expect(partsOf(answer)).toEqual([
      [payments[0], '33.34'],
      [payments[1], '33.33'],
      [payments[2], '33.33'],
    ]);
    for (const runId of runsOf(answer)) {
      expect(await service().refund(runId)).toMatchObject({
        splitId: answer.body.splitId,
        orderId: 'order-7',
      });
      await approve(runId);
    }
    const refunds = await Promise.all(payments.map((id) => stack.provider.refunds(id)));
    expect(refunds.map((of) => of.map(({ amount }) => amount))).toEqual([[3_334], [3_333], [3_333]]);
    const shown = await service().call('GET', answer.body.links.self as string);
    expect(shown.body).toMatchObject({ state: 'completed', refunded: usd('100.00'), amount: usd('100.00') });
  });

  test('R30: its parts count together: three of 20.00, each automatic by itself, all wait for people', async () => {
    const payments = await charges(stack, 10_000, 10_000, 10_000);
    for (const runId of runsOf(await split(stack, payments, '60.00'))) {
      await service().untilPhase(runId, 'waiting_approval');
      expect((await service().approval(approvalIdOf(runId))).policy).toMatchObject({
        aggregate: usd('60.00'),
        ruleIds: expect.arrayContaining(['aggregate']),
      });
    }
    for (const id of payments) expect(await stack.provider.refunds(id)).toEqual([]);
    const small = await split(stack, await charges(stack, 10_000, 10_000), '50.00');
    for (const runId of runsOf(small)) await service().untilPhase(runId, 'completed');
  });

  test('R9: no part is more than remains of its payment, and what it can not bear the others do', async () => {
    const payments = await charges(stack, 10_000, 10_000, 10_000);
    await stack.provider.stripe.refunds.create({ charge: payments[0] ?? '', amount: 9_000 });
    expect(partsOf(await split(stack, payments, '90.00'))).toEqual([
      [payments[0], '10.00'],
      [payments[1], '40.00'],
      [payments[2], '40.00'],
    ]);
    expect(await held(stack, payments)).toEqual([1_000, 4_000, 4_000]);
    const more = await split(stack, payments, '120.01');
    expectProblem(more, 422, 'exceeds_remaining');
    expect(more.body).toMatchObject({ requested: 12_001, remaining: 12_000, currency: 'USD' });
    const rest = await split(stack, payments, '120.00');
    expect(partsOf(rest)).toEqual([
      [payments[1], '60.00'],
      [payments[2], '60.00'],
    ]);
  });

  test('in order, the first bears all it can before the next', async () => {
    const payments = await charges(stack, 3_000, 3_000, 3_000);
    const [first = '', second = '', third = ''] = payments;
    const answer = await split(stack, [third, first, second], '50.00', { allocation: 'in_order' });
    expect(partsOf(answer)).toEqual([
      [third, '30.00'],
      [first, '20.00'],
    ]);
    expect(answer.body.allocation).toBe('in_order');
  });

  test('R31: one part rejected, the others go on, and the split says so', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const answer = await split(stack, payments, '120.00');
    const [one = '', other = ''] = runsOf(answer);
    await service().untilPhase(one, 'waiting_approval');
    await stack.as('reviewer1').decide(await service().approval(approvalIdOf(one)), 'reject');
    await service().untilPhase(one, 'rejected');
    await approve(other);
    const shown = await service().call('GET', `/v1/refunds/split/${answer.body.splitId}`);
    expect(shown.body).toMatchObject({ state: 'partly_completed', refunded: usd('60.00') });
    expect(await held(stack, payments)).toEqual([0, 0]);
  });
});

describe('one key', () => {
  test('R3: the same body gives the same runs, however it is written, and any other is refused', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const key = randomUUID();
    const first = await split(stack, payments, '120.00', { key });
    const [one = '', two = ''] = payments;
    for (const again of [
      await split(stack, payments, '120', { key }),
      await split(stack, [await intentOf(stack, one), two], '120.0', { key, allocation: 'proportional' }),
    ]) {
      expect([again.status, again.body.splitId, runsOf(again)]).toEqual([
        202,
        first.body.splitId,
        runsOf(first),
      ]);
    }
    for (const other of [
      await split(stack, payments, '120.01', { key }),
      await split(stack, [two, one], '120.00', { key }),
      await split(stack, [one], '120.00', { key }),
      await split(stack, payments, '120.00', { key, allocation: 'in_order' }),
      await split(stack, payments, '120.00', { key, note: 'torn' }),
      await service().startRefund({ paymentId: one, amount: '120.00', key }),
    ]) {
      expectProblem(other, 409, 'idempotency_conflict');
      expect(other.body.splitId).toBe(first.body.splitId);
    }
    expect(await held(stack, payments)).toEqual([6_000, 6_000]);
  });

  test('R3: a key that a single refund has is taken', async () => {
    const [charge = ''] = await charges(stack, 20_000);
    const key = randomUUID();
    const { body } = await service().startRefund({ paymentId: charge, amount: '60.00', key });
    const refused = await split(stack, [charge], '60.00', { key });
    expectProblem(refused, 409, 'idempotency_conflict');
    expect(refused.body.runId).toBe(body.runId);
  });

  test('R3: fifteen requests at once under one key are one split', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => split(stack, payments, '60.00', { key })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => String(runsOf(answer)))).size).toBe(1);
    expect(await held(stack, payments)).toEqual([3_000, 3_000]);
  });

  test('R1: each part is paid under its own key, and a replay of the split pays nothing more', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const key = randomUUID();
    const first = await split(stack, payments, '40.00', { key });
    for (const runId of runsOf(first)) await service().untilPhase(runId, 'completed');
    const again = await split(stack, payments, '40.00', { key });
    expect(again.body).toMatchObject({ splitId: first.body.splitId, state: 'completed' });
    const refunds = (await Promise.all(payments.map((id) => stack.provider.refunds(id)))).flat();
    expect(refunds.map(({ amount, metadata }) => [amount, metadata?.['countersign_run_id']])).toEqual(
      runsOf(first).map((runId) => [2_000, runId]),
    );
  });
});

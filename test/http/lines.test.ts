import { randomUUID } from 'node:crypto';
import { approvalIdOf, type Answer } from '../support/api';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { expectProblem, rowsTakenIn } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());
afterEach(() => stack.provider.admin('DELETE', 'faults'));

const service = () => stack.as('service');
const usd = (value: string) => ({ value, currency: 'USD' });
const line = (quantity: number, bought = 3, total = '9.00', lineId = 'sku-1') => ({
  lineId,
  quantity,
  of: { quantity: bought, amount: usd(total) },
});
const orderId = () => `order-${randomUUID()}`;

/** An order whose one line of three units cost 180.00, so that every refund of it asks a person. */
async function order() {
  const paymentId = await stack.provider.charge(50_000);
  const id = orderId();
  const ask = (units: number, amount = `${units * 60}.00`) =>
    service().startRefund({ paymentId, orderId: id, amount, lines: [line(units, 3, '180.00')] });
  return { paymentId, id, ask };
}

async function waiting(started: Answer) {
  expect([started.status, started.text]).toEqual([202, expect.any(String)]);
  const { runId } = started.body as { runId: string };
  await service().untilPhase(runId, 'waiting_approval');
  return { runId, approval: await service().approval(approvalIdOf(runId)) };
}

async function refundedAt(paymentId: string): Promise<number[]> {
  const refunds = await stack.provider.refunds(paymentId);
  return refunds.filter(({ status }) => status === 'succeeded').map(({ amount }) => amount);
}

const balanceOf = async (paymentId: string) =>
  (
    await query<{ reserved: string; refunded: string }>(
      stack.database.adminUrl,
      `select reserved, refunded from payments where payment_id = $1`,
      [paymentId],
    )
  ).map((row) => [Number(row.reserved), Number(row.refunded)])[0];

describe('lines of an order', () => {
  test('R11: of fifty requests at once for the same three units exactly three are paid', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = orderId();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        service().startRefund({ paymentId, orderId: id, amount: '3.00', lines: [line(1)] }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    expect([taken.length, refused.length]).toEqual([3, 47]);
    for (const answer of refused) expectProblem(answer, 422, 'line_exhausted');
    for (const { body } of taken) await service().untilPhase(body.runId as string, 'completed');
    expect(await refundedAt(paymentId)).toEqual([300, 300, 300]);
    expect(await balanceOf(paymentId)).toEqual([0, 900]);
  });

  test('R11: refunded unit by unit, three units that cost 10.00 together come to exactly that', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = orderId();
    const ask = (amount: string) =>
      service().startRefund({ paymentId, orderId: id, amount, lines: [line(1, 3, '10.00')] });
    const before = await rowsTakenIn(stack);
    const wrong = await ask('3.34');
    expectProblem(wrong, 422, 'amount_not_of_lines');
    expect(wrong.body.expected).toEqual(usd('3.33'));
    expect(await rowsTakenIn(stack)).toBe(before);
    for (const amount of ['3.33', '3.34', '3.33']) {
      const { runId } = (await ask(amount)).body as { runId: string };
      await service().untilPhase(runId, 'completed');
    }
    expect((await refundedAt(paymentId)).reduce((sum, one) => sum + one, 0)).toBe(1_000);
    expectProblem(await ask('3.33'), 422, 'line_exhausted');
  });

  test('R11: counted under the order, whichever of its payments a refund is of', async () => {
    const [first, second] = [await stack.provider.charge(50_000), await stack.provider.charge(50_000)];
    const id = orderId();
    const ask = (paymentId: string, units: number) =>
      service().startRefund({ paymentId, orderId: id, amount: `${units * 3}.00`, lines: [line(units)] });
    expect((await ask(first, 2)).status).toBe(202);
    const refused = await ask(second, 2);
    expectProblem(refused, 422, 'line_exhausted');
    expect(refused.body).toMatchObject({
      requestedUnits: 2,
      remainingUnits: 1,
      issues: [{ path: 'lines.0.quantity', message: '1 of 3 are left to refund' }],
    });
    expect((await ask(second, 1)).status).toBe(202);
  });

  test('R38: counted within the tenant: the same order of another one is another order', async () => {
    const [mine, theirs] = [await stack.provider.charge(50_000), await stack.provider.charge(50_000)];
    const id = orderId();
    const body = { orderId: id, amount: '9.00', lines: [line(3)] };
    expect((await service().startRefund({ paymentId: mine, ...body })).status).toBe(202);
    expect((await stack.as('service', 'globex').startRefund({ paymentId: theirs, ...body })).status).toBe(
      202,
    );
    expectProblem(await service().startRefund({ paymentId: mine, ...body }), 422, 'line_exhausted');
  });

  test('R11: shipping is refunded once, also when twenty ask at once, whole or in part', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = orderId();
    const ask = (amount: string) =>
      service().startRefund({
        paymentId,
        orderId: id,
        amount,
        shipping: { of: usd('4.90'), amount: usd(amount) },
      });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i % 2 ? '4.90' : '1.00')));
    const taken = answers.filter(({ status }) => status === 202);
    expect(taken).toHaveLength(1);
    for (const answer of answers) if (answer !== taken[0]) expectProblem(answer, 422, 'line_exhausted');
    await service().untilPhase(taken[0]?.body.runId as string, 'completed');
    expectProblem(await ask('0.10'), 422, 'line_exhausted');
    expect(await refundedAt(paymentId)).toHaveLength(1);
  });

  test('R3: a repeat under the same key is the same run, though the units are gone', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const body = { paymentId, orderId: orderId(), amount: '9.00', lines: [line(3)], key: randomUUID() };
    const first = await service().startRefund(body);
    const again = await service().startRefund(body);
    expect([again.status, again.body.runId]).toEqual([202, first.body.runId]);
    const other = await service().startRefund({ ...body, lines: [line(2)] });
    expectProblem(other, 409, 'idempotency_conflict');
  });
});

describe('what people see', () => {
  test('R21: the lines with their shares, on the refund and on the approval', async () => {
    const { paymentId, id } = await order();
    const { runId, approval } = await waiting(
      await service().startRefund({
        paymentId,
        orderId: id,
        amount: '71.57',
        lines: [line(2, 3, '100.00')],
        shipping: { of: usd('4.90') },
      }),
    );
    const shown = {
      lines: [
        { lineId: 'sku-1', quantity: 2, of: { quantity: 3, amount: usd('100.00') }, amount: usd('66.67') },
      ],
      shipping: { of: usd('4.90'), amount: usd('4.90') },
    };
    expect(approval).toMatchObject({ ...shown, arguments: { amount: usd('71.57') } });
    expect(approval.facts).not.toHaveProperty('lines');
    expect(await service().refund(runId)).toMatchObject({ ...shown, orderId: id, splitId: null });
  });

  test('R22: an edit may lower the amount and not raise it above the lines; their units stay taken', async () => {
    const { paymentId, ask } = await order();
    const { runId, approval } = await waiting(await ask(2));
    const raised = await stack
      .as('reviewer1')
      .decide(approval, 'edit', { arguments: { amount: usd('120.01') } });
    expectProblem(raised, 422, 'amount_not_of_lines');
    expect(raised.body.expected).toEqual(usd('120.00'));
    const lowered = await stack
      .as('reviewer1')
      .decide(approval, 'edit', { arguments: { amount: usd('100.00') } });
    expect([lowered.status, lowered.text]).toEqual([200, expect.any(String)]);
    const done = await service().untilPhase(runId, 'completed');
    expect(done).toMatchObject({
      executed: { amount: usd('100.00') },
      lines: [{ quantity: 2, amount: usd('120.00') }],
    });
    expect(await refundedAt(paymentId)).toEqual([10_000]);
    expectProblem(await ask(2), 422, 'line_exhausted');
    expect((await ask(1)).status).toBe(202);
  });
});

describe('units are free again', () => {
  const allTaken = async (ask: (units: number) => Promise<Answer>) => {
    expectProblem(await ask(1), 422, 'line_exhausted');
  };

  test('R31: after a rejection', async () => {
    const { ask } = await order();
    const { runId, approval } = await waiting(await ask(3));
    await allTaken(ask);
    await stack.as('reviewer1').decide(approval, 'reject');
    await service().untilPhase(runId, 'rejected');
    expect((await ask(3)).status).toBe(202);
  });

  test('R8: after a cancel', async () => {
    const { ask } = await order();
    const { runId } = await waiting(await ask(3));
    await allTaken(ask);
    expect((await service().call('POST', `/v1/refunds/${runId}/cancel`)).status).toBe(200);
    expect((await ask(3)).status).toBe(202);
  });

  test('R31: after the deadline', async () => {
    const { ask } = await order();
    const { runId } = await waiting(await ask(3));
    await allTaken(ask);
    await stack.temporal.skipTime('acme', runId);
    await service().untilPhase(runId, 'expired');
    expect((await ask(3)).status).toBe(202);
  });

  test('R8: after the provider has refused for good', async () => {
    const { paymentId, ask } = await order();
    const { runId, approval } = await waiting(await ask(3));
    await stack.provider.stripe.refunds.create({ charge: paymentId });
    await stack.as('reviewer1').decide(approval, 'approve');
    await service().untilPhase(runId, 'rejected');
    const other = await stack.provider.charge(50_000);
    const { orderId: id } = await service().refund(runId);
    const again = { paymentId: other, orderId: id, amount: '180.00', lines: [line(3, 3, '180.00')] };
    expect((await service().startRefund(again)).status).toBe(202);
  });

  test('R17: after a refund that had succeeded has failed, and taken again when it is sent again', async () => {
    const { ask } = await order();
    const { runId, approval } = await waiting(await ask(3));
    await stack.as('reviewer1').decide(approval, 'approve');
    const done = await service().untilPhase(runId, 'completed');
    await allTaken(ask);
    await stack.provider.admin('POST', `refunds/${done.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    const review = (action: string) =>
      stack.as('lead').call('POST', `/v1/refunds/${runId}/review`, { action });
    expect((await review('retry')).status).toBe(200);
    const again = await service().untilPhase(runId, 'completed');
    await allTaken(ask);
    await stack.provider.admin('POST', `refunds/${again.result?.refundId}`, { status: 'failed' });
    await until(async () => (await service().refund(runId)).phase === 'needs_review');
    expect((await ask(1)).status).toBe(202);
    // Two of its three units are not enough to send it again.
    expect((await review('retry')).status).toBe(200);
    await until(async () => (await service().refund(runId)).review?.tried.at(-1)?.includes('of 3') === true);
    expect((await review('fail')).status).toBe(200);
    await service().untilPhase(runId, 'failed');
    expect((await ask(2)).status).toBe(202);
  });
});

describe('while the provider does not answer', () => {
  test('R20: lines are taken when the payment is validated; who lost the race ends as rejected and holds nothing', async () => {
    const { paymentId, ask } = await order();
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      times: null,
      match: { method: 'GET' },
    });
    const blind = await ask(3);
    expect([blind.status, blind.body.phase]).toEqual([202, 'validating']);
    await stack.killWorkers();
    await stack.provider.admin('DELETE', 'faults');
    expect((await ask(1)).status).toBe(202);
    await stack.startWorker();
    const lost = await service().untilPhase(blind.body.runId as string, 'rejected');
    expect(lost).toMatchObject({
      result: { code: 'line_exhausted', detail: 'lines.0.quantity: 2 of 3 are left to refund' },
      lines: [],
    });
    expect(await balanceOf(paymentId)).toEqual([6_000, 0]);
  });
});

describe('what the door refuses', () => {
  const whole = (value: string, quantity = 3) => ({ quantity, amount: usd(value) });
  test.each<[string, Record<string, unknown>, string, string, string | null]>([
    ['without an order', { orderId: undefined, lines: [line(1)] }, 'invalid_request', 'orderId', null],
    ['one line twice', { lines: [line(1), line(1)] }, 'invalid_request', 'lines.1.lineId', null],
    ['more than was bought', { lines: [line(4)] }, 'invalid_request', 'lines.0.quantity', null],
    ['half a unit', { lines: [line(0.5)] }, 'invalid_request', 'lines.0.quantity', null],
    ['minus one unit', { lines: [line(-1)] }, 'invalid_request', 'lines.0.quantity', null],
    ['an unknown field', { lines: [{ ...line(1), price: 1 }] }, 'invalid_request', 'lines.0', null],
    [
      'another currency',
      { lines: [{ ...line(1), of: { quantity: 3, amount: { value: '9', currency: 'EUR' } } }] },
      'currency_mismatch',
      '',
      null,
    ],
    ['a total of nothing', { lines: [{ ...line(1), of: whole('0.00') }] }, 'amount_not_positive', '', null],
    ['too much', { amount: usd('3.01'), lines: [line(1)] }, 'amount_not_of_lines', 'amount', '3.00'],
    ['too little', { amount: usd('2.99'), lines: [line(1)] }, 'amount_not_of_lines', 'amount', '3.00'],
    [
      'a share that is another',
      { lines: [{ ...line(1), amount: usd('2.99') }] },
      'amount_not_of_lines',
      'lines.0.amount',
      '3.00',
    ],
    [
      'more shipping than there was',
      { shipping: { of: usd('4.90'), amount: usd('5.00') } },
      'invalid_request',
      'shipping.amount',
      null,
    ],
    [
      'lines and shipping that do not add up',
      { lines: [line(1)], shipping: { of: usd('4.90') } },
      'amount_not_of_lines',
      'amount',
      '7.90',
    ],
  ])(
    'R11: %s is refused with the place and, where it is one, the right figure',
    async (_what, change, code, path, expected) => {
      const paymentId = await stack.provider.charge(50_000);
      const before = await rowsTakenIn(stack);
      const answer = await service().call(
        'POST',
        '/v1/refunds',
        { paymentId, amount: usd('3.00'), reason: 'damaged', orderId: orderId(), ...change },
        { 'idempotency-key': randomUUID() },
      );
      expectProblem(answer, 422, code);
      if (path !== '') expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
      if (expected !== null) expect(answer.body.expected).toEqual(usd(expected));
      expect(await rowsTakenIn(stack)).toBe(before);
    },
  );

  test('R11: a line that an earlier refund says was bought otherwise is refused, until that one is given back', async () => {
    const { paymentId, id, ask } = await order();
    const { runId } = await waiting(await ask(1));
    const otherwise = () =>
      service().startRefund({ paymentId, orderId: id, amount: '50.00', lines: [line(1, 4, '200.00')] });
    const refused = await otherwise();
    expectProblem(refused, 422, 'line_changed');
    expect(refused.body.issues).toEqual([
      { path: 'lines.0.of', message: 'earlier refunds of this order say 3 for 180.00 USD' },
    ]);
    await service().call('POST', `/v1/refunds/${runId}/cancel`);
    expect((await otherwise()).status).toBe(202);
  });
});

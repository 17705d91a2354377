import { randomUUID } from 'node:crypto';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';
import { held, line, newOrder, onRecord, order, refundedAt, usd, waiting } from './orderFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');

describe('lines of an order', () => {
  test('R11: of fifty requests at once for the same three units exactly three are paid', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = newOrder();
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
    expect(await refundedAt(stack, paymentId)).toEqual([300, 300, 300]);
    expect(await held(stack, [paymentId])).toEqual([0]);
  });

  test('R11: refunded unit by unit, three units that cost 10.00 together come to exactly that', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = newOrder();
    const ask = (amount: string) =>
      service().startRefund({ paymentId, orderId: id, amount, lines: [line(1, 3, '10.00')] });
    const before = await onRecord(stack);
    const wrong = await ask('3.34');
    expectProblem(wrong, 422, 'amount_not_of_lines');
    expect(wrong.body.expected).toEqual(usd('3.33'));
    expect(await onRecord(stack)).toBe(before);
    for (const amount of ['3.33', '3.34', '3.33']) {
      const { runId } = (await ask(amount)).body as { runId: string };
      await service().untilPhase(runId, 'completed');
    }
    expect((await refundedAt(stack, paymentId)).reduce((sum, one) => sum + one, 0)).toBe(1_000);
    expectProblem(await ask('3.33'), 422, 'line_exhausted');
  });

  test('R11: counted under the order, whichever of its payments a refund is of', async () => {
    const [first, second] = [await stack.provider.charge(50_000), await stack.provider.charge(50_000)];
    const id = newOrder();
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
    const id = newOrder();
    const body = { orderId: id, amount: '9.00', lines: [line(3)] };
    expect((await service().startRefund({ paymentId: mine, ...body })).status).toBe(202);
    expect((await stack.as('service', 'globex').startRefund({ paymentId: theirs, ...body })).status).toBe(
      202,
    );
    expectProblem(await service().startRefund({ paymentId: mine, ...body }), 422, 'line_exhausted');
  });

  test('R11: shipping is refunded once, also when twenty ask at once, whole or in part', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const id = newOrder();
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
    expect(await refundedAt(stack, paymentId)).toHaveLength(1);
  });

  test('R3: a repeat under the same key is the same run, though the units are gone', async () => {
    const paymentId = await stack.provider.charge(50_000);
    const body = { paymentId, orderId: newOrder(), amount: '9.00', lines: [line(3)], key: randomUUID() };
    const first = await service().startRefund(body);
    const again = await service().startRefund(body);
    expect([again.status, again.body.runId]).toEqual([202, first.body.runId]);
    const other = await service().startRefund({ ...body, lines: [line(2)] });
    expectProblem(other, 409, 'idempotency_conflict');
  });
});

describe('what people see', () => {
  test('R21: the lines with their shares, on the refund and on the approval', async () => {
    const { paymentId, id } = await order(stack);
    const { runId, approval } = await waiting(
      stack,
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
    const { paymentId, ask } = await order(stack);
    const { runId, approval } = await waiting(stack, await ask(2));
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
    expect(await refundedAt(stack, paymentId)).toEqual([10_000]);
    expectProblem(await ask(2), 422, 'line_exhausted');
    expect((await ask(1)).status).toBe(202);
  });
});

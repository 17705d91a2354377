import { randomUUID } from 'node:crypto';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';
import { line, newOrder, onRecord, order, usd, waiting } from './orderFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');

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
      const before = await onRecord(stack);
      const answer = await service().call(
        'POST',
        '/v1/refunds',
        { paymentId, amount: usd('3.00'), reason: 'damaged', orderId: newOrder(), ...change },
        { 'idempotency-key': randomUUID() },
      );
      expectProblem(answer, 422, code);
      if (path !== '') expect(answer.body.issues).toEqual([expect.objectContaining({ path })]);
      if (expected !== null) expect(answer.body.expected).toEqual(usd(expected));
      expect(await onRecord(stack)).toBe(before);
    },
  );

  test('R11: a line that an earlier refund says was bought otherwise is refused, until that one is given back', async () => {
    const { paymentId, id, ask } = await order(stack);
    const { runId } = await waiting(stack, await ask(1));
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

import { randomUUID } from 'node:crypto';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';
import { held, onRecord, usd } from './orderFixture';
import { charges, intentOf, partsOf, split } from './splitFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());
afterEach(() => stack.provider.admin('DELETE', 'faults'));

const service = () => stack.as('service');

describe('all or nothing', () => {
  test('R6: of twelve splits at once over the same payments, named in any order, as many pass as there is money for', async () => {
    const payments = await charges(stack, 10_000, 10_000, 10_000);
    const before = await onRecord(stack);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        split(
          stack,
          i % 2 ? payments : [...payments].reverse(),
          '90.00',
          i % 3 ? {} : { allocation: 'in_order' },
        ),
      ),
    );
    const taken = answers.filter(({ status }) => status === 202);
    expect(taken).toHaveLength(3);
    for (const answer of answers) if (answer.status !== 202) expectProblem(answer, 422, 'exceeds_remaining');
    const parts = taken.flatMap(partsOf);
    expect(parts.reduce((sum, [, value]) => sum + Math.round(Number(value) * 100), 0)).toBe(27_000);
    expect((await held(stack, payments)).reduce((sum, one) => sum + one, 0)).toBe(27_000);
    const rows = await query<{ n: string }>(
      stack.database.adminUrl,
      'select count(*) as n from runs where payment_id = any($1)',
      [payments],
    );
    expect(Number(rows[0]?.n)).toBe(parts.length);
    expect(await onRecord(stack)).toBeGreaterThan(before);
  });

  test('R6: beside single refunds of its payments, none is overdrawn and no split is half admitted', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? split(stack, payments, '70.00')
          : service().startRefund({ paymentId: payments[(i / 2) % 2] ?? '', amount: '55.00' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 422]));
    const amounts = answers
      .filter(({ status }) => status === 202)
      .map(({ body }) => (body.splitId ? 7_000 : 5_500));
    expect((await held(stack, payments)).reduce((sum, one) => sum + one, 0)).toBe(
      amounts.reduce((sum, one) => sum + one, 0),
    );
    for (const one of await held(stack, payments)) expect(one).toBeLessThanOrEqual(10_000);
  });

  test.each<[string, (good: string) => Promise<[string[], string]>]>([
    ['unknown', async (good) => [[good, 'ch_nobody'], 'payment_unknown']],
    [
      'uncaptured',
      async (good) => [
        [good, await stack.provider.charge(5_000, 'usd', { capture: false })],
        'payment_uncaptured',
      ],
    ],
    [
      'in another currency',
      async (good) => [[good, await stack.provider.charge(5_000, 'eur')], 'currency_mismatch'],
    ],
    ['the same again', async (good) => [[good, await intentOf(stack, good)], 'invalid_request']],
  ])(
    'R20: with one payment that is %s nothing is taken in, and the refusal says which one',
    async (_what, make) => {
      const good = await stack.provider.charge(10_000);
      const [payments, code] = await make(good);
      const before = await onRecord(stack);
      const key = randomUUID();
      const answer = await split(stack, payments, '60.00', { key });
      expectProblem(answer, 422, code);
      expect(answer.body.issues).toEqual([
        { path: 'payments.1.paymentId', message: expect.stringMatching(/./) as string },
      ]);
      expect(await onRecord(stack)).toBe(before);
      expect(await held(stack, [good])).toEqual([0]);
      // A refused body does not use the key up.
      expect((await split(stack, [good], '60.00', { key })).status).toBe(202);
    },
  );

  test('R12: while the provider does not answer nobody can say what each bears: 503, and the same key later', async () => {
    const payments = await charges(stack, 10_000, 10_000);
    const key = randomUUID();
    const before = await onRecord(stack);
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      times: null,
      match: { method: 'GET' },
    });
    expectProblem(await split(stack, payments, '60.00', { key }), 503, 'dependency_unavailable');
    expect(await onRecord(stack)).toBe(before);
    await stack.provider.admin('DELETE', 'faults');
    expect((await split(stack, payments, '60.00', { key })).status).toBe(202);
  });
});

describe('who asks', () => {
  test('R38: a payment of another tenant answers as an unknown one, and his split too', async () => {
    const [mine = '', theirs = ''] = await charges(stack, 10_000, 10_000);
    const globex = stack.as('service', 'globex');
    await globex.startRefund({ paymentId: theirs, amount: '60.00' });
    expect(bytesOf(await split(stack, [mine, theirs], '60.00'))).toBe(
      bytesOf(await split(stack, [mine, 'ch_nobody'], '60.00')),
    );

    const made = await split(stack, [mine], '60.00');
    expect(made.status).toBe(202);
    const [his, unknown] = [
      await globex.call('GET', `/v1/refunds/split/${made.body.splitId}`),
      await globex.call('GET', `/v1/refunds/split/spl_${'0'.repeat(32)}`),
    ];
    expectProblem(his, 404, 'not_found');
    expect(bytesOf(his)).toBe(bytesOf(unknown));
    expect((await service().call('GET', `/v1/refunds/split/${made.body.splitId}`)).status).toBe(200);
  });

  test('R23: who may not propose is refused, after what is wrong with the request', async () => {
    const payments = await charges(stack, 10_000);
    const who = stack.as('admin');
    expectProblem(await split(stack, payments, '60.00', { who }), 403, 'forbidden');
    expectProblem(await split(stack, ['ch_nobody'], '60.00', { who }), 422, 'payment_unknown');
    expectProblem(await split(stack, payments, '0', { who }), 422, 'amount_not_positive');
  });
});

describe('what the door refuses', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['no order', { orderId: undefined }, 'invalid_request', 'orderId'],
    ['no payment', { payments: [] }, 'invalid_request', 'payments'],
    [
      'too many payments',
      { payments: Array.from({ length: 21 }, (_, i) => ({ paymentId: `ch_${i}` })) },
      'invalid_request',
      'payments',
    ],
    ['what is no payment', { payments: [{ paymentId: 'cus_1' }] }, 'invalid_request', 'payments.0.paymentId'],
    ['an unknown way to share', { allocation: 'random' }, 'invalid_request', 'allocation'],
    ['lines', { lines: [] }, 'invalid_request', 'lines'],
    ['shipping', { shipping: { of: usd('4.90') } }, 'invalid_request', 'shipping'],
    ['an unknown field', { paymentId: 'ch_1' }, 'invalid_request', ''],
  ])('R41: %s, naming the field', async (_what, change, code, path) => {
    const [charge = ''] = await charges(stack, 10_000);
    const answer = await split(stack, [charge], '60.00', change);
    expectProblem(answer, 422, code);
    expect(answer.body.issues).toEqual([{ path, message: expect.stringMatching(/./) as string }]);
  });

  test('R39: a card number in the note', async () => {
    const [charge = ''] = await charges(stack, 10_000);
    const answer = await split(stack, [charge], '60.00', { note: 'card 4242 4242 4242 4242' });
    expectProblem(answer, 422, 'sensitive_text');
    expect(answer.text).not.toContain('4242');
  });

  test('R3: no key', async () => {
    const answer = await service().call('POST', '/v1/refunds/split', 'not JSON');
    expectProblem(answer, 400, 'idempotency_key_required');
  });
});

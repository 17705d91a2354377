import { randomUUID } from 'node:crypto';
import { approvalIdOf, type Answer, type ApiCaller } from '../support/api';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem, rowsTakenIn } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());
afterEach(() => stack.provider.admin('DELETE', 'faults'));

const service = () => stack.as('service');
const usd = (value: string) => ({ value, currency: 'USD' });
const charges = (...amounts: number[]) => Promise.all(amounts.map((amount) => stack.provider.charge(amount)));

interface Asking {
  readonly key?: string;
  readonly who?: ApiCaller;
  readonly [field: string]: unknown;
}

function split(
  payments: readonly string[],
  value: string,
  { key = randomUUID(), who = service(), ...more }: Asking = {},
) {
  const body = {
    orderId: 'order-7',
    amount: usd(value),
    reason: 'damaged',
    payments: payments.map((paymentId) => ({ paymentId })),
    ...more,
  };
  return who.call('POST', '/v1/refunds/split', body, { 'idempotency-key': key });
}

/** `[payment, amount]` of every part. */
const partsOf = ({ body }: Answer) =>
  (body.refunds as { paymentId: string; amount: { value: string } }[]).map(({ paymentId, amount }) => [
    paymentId,
    amount.value,
  ]);
const runsOf = ({ body }: Answer) => (body.refunds as { runId: string }[]).map(({ runId }) => runId);

async function held(payments: readonly string[]): Promise<number[]> {
  const rows = await query<{ payment_id: string; reserved: string }>(
    stack.database.adminUrl,
    'select payment_id, reserved from payments where payment_id = any($1)',
    [payments],
  );
  return payments.map((id) => Number(rows.find((row) => row.payment_id === id)?.reserved ?? 0));
}

async function splitsOnRecord(): Promise<number> {
  const [row] = await query<{ n: string }>(
    stack.database.adminUrl,
    'select count(*) as n from refund_splits',
  );
  return Number(row?.n);
}

async function approve(runId: string): Promise<void> {
  await service().untilPhase(runId, 'waiting_approval');
  const approval = await service().approval(approvalIdOf(runId));
  expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
  await service().untilPhase(runId, 'completed');
}

describe('one order over several payments', () => {
  test('R11: is one refund for each, whose parts sum exactly to the whole, at the provider too', async () => {
    const payments = await charges(10_000, 10_000, 10_000);
    const answer = await split(payments, '100.00');
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
    const payments = await charges(10_000, 10_000, 10_000);
    for (const runId of runsOf(await split(payments, '60.00'))) {
      await service().untilPhase(runId, 'waiting_approval');
      expect((await service().approval(approvalIdOf(runId))).policy).toMatchObject({
        aggregate: usd('60.00'),
        ruleIds: expect.arrayContaining(['aggregate']),
      });
    }
    for (const id of payments) expect(await stack.provider.refunds(id)).toEqual([]);
    const small = await split(await charges(10_000, 10_000), '50.00');
    for (const runId of runsOf(small)) await service().untilPhase(runId, 'completed');
  });

  test('R9: no part is more than remains of its payment, and what it can not bear the others do', async () => {
    const payments = await charges(10_000, 10_000, 10_000);
    await stack.provider.stripe.refunds.create({ charge: payments[0] ?? '', amount: 9_000 });
    expect(partsOf(await split(payments, '90.00'))).toEqual([
      [payments[0], '10.00'],
      [payments[1], '40.00'],
      [payments[2], '40.00'],
    ]);
    expect(await held(payments)).toEqual([1_000, 4_000, 4_000]);
    const more = await split(payments, '120.01');
    expectProblem(more, 422, 'exceeds_remaining');
    expect(more.body).toMatchObject({ requested: 12_001, remaining: 12_000, currency: 'USD' });
    const rest = await split(payments, '120.00');
    expect(partsOf(rest)).toEqual([
      [payments[1], '60.00'],
      [payments[2], '60.00'],
    ]);
  });

  test('in order, the first bears all it can before the next', async () => {
    const payments = await charges(3_000, 3_000, 3_000);
    const [first = '', second = '', third = ''] = payments;
    const answer = await split([third, first, second], '50.00', { allocation: 'in_order' });
    expect(partsOf(answer)).toEqual([
      [third, '30.00'],
      [first, '20.00'],
    ]);
    expect(answer.body.allocation).toBe('in_order');
  });

  test('R31: one part rejected, the others go on, and the split says so', async () => {
    const payments = await charges(10_000, 10_000);
    const answer = await split(payments, '120.00');
    const [one = '', other = ''] = runsOf(answer);
    await service().untilPhase(one, 'waiting_approval');
    await stack.as('reviewer1').decide(await service().approval(approvalIdOf(one)), 'reject');
    await service().untilPhase(one, 'rejected');
    await approve(other);
    const shown = await service().call('GET', `/v1/refunds/split/${answer.body.splitId}`);
    expect(shown.body).toMatchObject({ state: 'partly_completed', refunded: usd('60.00') });
    expect(await held(payments)).toEqual([0, 0]);
  });
});

describe('all or nothing', () => {
  test('R6: of twelve splits at once over the same payments, named in any order, as many pass as there is money for', async () => {
    const payments = await charges(10_000, 10_000, 10_000);
    const before = await rowsTakenIn(stack);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        split(i % 2 ? payments : [...payments].reverse(), '90.00', i % 3 ? {} : { allocation: 'in_order' }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 202);
    expect(taken).toHaveLength(3);
    for (const answer of answers) if (answer.status !== 202) expectProblem(answer, 422, 'exceeds_remaining');
    const parts = taken.flatMap(partsOf);
    expect(parts.reduce((sum, [, value]) => sum + Math.round(Number(value) * 100), 0)).toBe(27_000);
    expect((await held(payments)).reduce((sum, one) => sum + one, 0)).toBe(27_000);
    const rows = await query<{ n: string }>(
      stack.database.adminUrl,
      'select count(*) as n from runs where payment_id = any($1)',
      [payments],
    );
    expect(Number(rows[0]?.n)).toBe(parts.length);
    expect(await rowsTakenIn(stack)).toBeGreaterThan(before);
  });

  test('R6: beside single refunds of its payments, none is overdrawn and no split is half admitted', async () => {
    const payments = await charges(10_000, 10_000);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2
          ? split(payments, '70.00')
          : service().startRefund({ paymentId: payments[(i / 2) % 2] ?? '', amount: '55.00' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 422]));
    const amounts = answers
      .filter(({ status }) => status === 202)
      .map(({ body }) => (body.splitId ? 7_000 : 5_500));
    expect((await held(payments)).reduce((sum, one) => sum + one, 0)).toBe(
      amounts.reduce((sum, one) => sum + one, 0),
    );
    for (const one of await held(payments)) expect(one).toBeLessThanOrEqual(10_000);
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
    ['the same again', async (good) => [[good, await intentOf(good)], 'invalid_request']],
  ])(
    'R20: with one payment that is %s nothing is taken in, and the refusal says which one',
    async (_what, make) => {
      const good = await stack.provider.charge(10_000);
      const [payments, code] = await make(good);
      const [rows, splits] = [await rowsTakenIn(stack), await splitsOnRecord()];
      const key = randomUUID();
      const answer = await split(payments, '60.00', { key });
      expectProblem(answer, 422, code);
      expect(answer.body.issues).toEqual([
        { path: 'payments.1.paymentId', message: expect.stringMatching(/./) as string },
      ]);
      expect([await rowsTakenIn(stack), await splitsOnRecord()]).toEqual([rows, splits]);
      expect(await held([good])).toEqual([0]);
      // A refused body does not use the key up.
      expect((await split([good], '60.00', { key })).status).toBe(202);
    },
  );

  test('R12: while the provider does not answer nobody can say what each bears: 503, and the same key later', async () => {
    const payments = await charges(10_000, 10_000);
    const key = randomUUID();
    const before = await rowsTakenIn(stack);
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      times: null,
      match: { method: 'GET' },
    });
    expectProblem(await split(payments, '60.00', { key }), 503, 'dependency_unavailable');
    expect(await rowsTakenIn(stack)).toBe(before);
    await stack.provider.admin('DELETE', 'faults');
    expect((await split(payments, '60.00', { key })).status).toBe(202);
  });
});

async function intentOf(charge: string): Promise<string> {
  return (await stack.provider.stripe.charges.retrieve(charge)).payment_intent as string;
}

describe('one key', () => {
  test('R3: the same body gives the same runs, however it is written, and any other is refused', async () => {
    const payments = await charges(10_000, 10_000);
    const key = randomUUID();
    const first = await split(payments, '120.00', { key });
    const [one = '', two = ''] = payments;
    for (const again of [
      await split(payments, '120', { key }),
      await split([await intentOf(one), two], '120.0', { key, allocation: 'proportional' }),
    ]) {
      expect([again.status, again.body.splitId, runsOf(again)]).toEqual([
        202,
        first.body.splitId,
        runsOf(first),
      ]);
    }
    for (const other of [
      await split(payments, '120.01', { key }),
      await split([two, one], '120.00', { key }),
      await split([one], '120.00', { key }),
      await split(payments, '120.00', { key, allocation: 'in_order' }),
      await split(payments, '120.00', { key, note: 'torn' }),
      await service().startRefund({ paymentId: one, amount: '120.00', key }),
    ]) {
      expectProblem(other, 409, 'idempotency_conflict');
      expect(other.body.splitId).toBe(first.body.splitId);
    }
    expect(await held(payments)).toEqual([6_000, 6_000]);
  });

  test('R3: a key that a single refund has is taken', async () => {
    const [charge = ''] = await charges(20_000);
    const key = randomUUID();
    const { body } = await service().startRefund({ paymentId: charge, amount: '60.00', key });
    const refused = await split([charge], '60.00', { key });
    expectProblem(refused, 409, 'idempotency_conflict');
    expect(refused.body.runId).toBe(body.runId);
  });

  test('R3: fifteen requests at once under one key are one split', async () => {
    const payments = await charges(10_000, 10_000);
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 15 }, () => split(payments, '60.00', { key })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map((answer) => String(runsOf(answer)))).size).toBe(1);
    expect(await held(payments)).toEqual([3_000, 3_000]);
  });

  test('R1: each part is paid under its own key, and a replay of the split pays nothing more', async () => {
    const payments = await charges(10_000, 10_000);
    const key = randomUUID();
    const first = await split(payments, '40.00', { key });
    for (const runId of runsOf(first)) await service().untilPhase(runId, 'completed');
    const again = await split(payments, '40.00', { key });
    expect(again.body).toMatchObject({ splitId: first.body.splitId, state: 'completed' });
    const refunds = (await Promise.all(payments.map((id) => stack.provider.refunds(id)))).flat();
    expect(refunds.map(({ amount, metadata }) => [amount, metadata?.['countersign_run_id']])).toEqual(
      runsOf(first).map((runId) => [2_000, runId]),
    );
  });
});

describe('who asks', () => {
  test('R38: a payment of another tenant answers as an unknown one, and his split too', async () => {
    const [mine = '', theirs = ''] = await charges(10_000, 10_000);
    const globex = stack.as('service', 'globex');
    await globex.startRefund({ paymentId: theirs, amount: '60.00' });
    expect(bytesOf(await split([mine, theirs], '60.00'))).toBe(
      bytesOf(await split([mine, 'ch_nobody'], '60.00')),
    );

    const made = await split([mine], '60.00');
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
    const payments = await charges(10_000);
    const who = stack.as('admin');
    expectProblem(await split(payments, '60.00', { who }), 403, 'forbidden');
    expectProblem(await split(['ch_nobody'], '60.00', { who }), 422, 'payment_unknown');
    expectProblem(await split(payments, '0', { who }), 422, 'amount_not_positive');
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
    const [charge = ''] = await charges(10_000);
    const answer = await split([charge], '60.00', change);
    expectProblem(answer, 422, code);
    expect(answer.body.issues).toEqual([{ path, message: expect.stringMatching(/./) as string }]);
  });

  test('R39: a card number in the note', async () => {
    const [charge = ''] = await charges(10_000);
    const answer = await split([charge], '60.00', { note: 'card 4242 4242 4242 4242' });
    expectProblem(answer, 422, 'sensitive_text');
    expect(answer.text).not.toContain('4242');
  });

  test('R3: no key', async () => {
    const answer = await service().call('POST', '/v1/refunds/split', 'not JSON');
    expectProblem(answer, 400, 'idempotency_key_required');
  });
});

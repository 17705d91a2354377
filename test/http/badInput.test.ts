import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { once } from 'node:events';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { expectProblem, rowsTakenIn, workflowsStarted } from './doorFixture';

let stack: TestStack;
let charge: string;
beforeAll(async () => {
  stack = await TestStack.start({ workers: 0 });
  charge = await stack.provider.charge(20_000);
});
afterAll(() => stack.stop());

const post = (body: unknown, headers: Record<string, string> = {}, who = stack.as('service')) =>
  who.call('POST', '/v1/refunds', body, { 'idempotency-key': randomUUID(), ...headers });
const body = (change: Record<string, unknown> = {}) => ({
  paymentId: charge,
  amount: { value: '49.00', currency: 'USD' },
  reason: 'damaged',
  ...change,
});
const amount = (value: unknown, currency: unknown = 'USD') => body({ amount: { value, currency } });
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Nothing of what was sent may come back, or stay. */
const marker = 'marker-8f2c';

type Case = [what: string, send: () => ReturnType<typeof post>, status: number, code: string];
const cases: Case[] = [
  ['an unknown payment', () => post(body({ paymentId: `ch_${marker}` })), 422, 'payment_unknown'],
  ['an unknown payment intent', () => post(body({ paymentId: `pi_${marker}` })), 422, 'payment_unknown'],
  ['what is no payment', () => post(body({ paymentId: `cus_${marker}` })), 422, 'invalid_request'],
  ['the wrong currency', () => post(amount('49.00', 'EUR')), 422, 'currency_mismatch'],
  ['a currency in lower case', () => post(amount('49.00', 'usd')), 422, 'currency_unknown'],
  ['gold', () => post(amount('49.00', 'XAU')), 422, 'currency_unknown'],
  ['a currency without an end', () => post(amount('49.00', marker)), 422, 'invalid_request'],
  ['zero', () => post(amount('0')), 422, 'amount_not_positive'],
  ['zero with decimals', () => post(amount('0.00')), 422, 'amount_not_positive'],
  ['a negative amount', () => post(amount('-49.00')), 422, 'amount_invalid'],
  ['too many decimals', () => post(amount('49.001')), 422, 'amount_too_precise'],
  ['decimals in yen', () => post(amount('49.0', 'JPY')), 422, 'amount_too_precise'],
  ['1e21 as text', () => post(amount('1e21')), 422, 'amount_invalid'],
  ['1e21 as a number', () => post(amount(1e21)), 422, 'invalid_request'],
  ['a number', () => post(amount(49)), 422, 'invalid_request'],
  ['NaN as text', () => post(amount('NaN')), 422, 'amount_invalid'],
  ['NaN as JSON', () => post('{"amount":{"value":NaN}}'), 400, 'malformed_json'],
  ['Infinity', () => post(amount('Infinity')), 422, 'amount_invalid'],
  ['separators', () => post(amount('1,049.00')), 422, 'amount_invalid'],
  ['a space', () => post(amount(' 49.00')), 422, 'amount_invalid'],
  ['a leading zero', () => post(amount('049.00')), 422, 'amount_invalid'],
  ['digits of another script', () => post(amount('٤٩')), 422, 'amount_invalid'],
  ['more than any integer', () => post(amount('9'.repeat(40))), 422, 'amount_too_large'],
  ['no amount', () => post(body({ amount: undefined })), 422, 'invalid_request'],
  ['a wrong reason', () => post(body({ reason: marker })), 422, 'invalid_request'],
  ['an unknown field', () => post(body({ approved: marker })), 422, 'invalid_request'],
  ['a prototype', () => post(`{"__proto__":{"paymentId":"${marker}"}}`), 422, 'invalid_request'],
  [
    'a note that is too long',
    () => post(body({ note: `${marker}${'n'.repeat(2000)}` })),
    422,
    'invalid_request',
  ],
  ['a note with a NUL', () => post(body({ note: `${marker}\u0000` })), 422, 'invalid_request'],
  ['half a character', () => post(`{"note":"${marker}\\ud800"}`), 422, 'invalid_request'],
  [
    'evidence with half a character',
    () => post(body({ evidence: [`${marker}\udfff`] })),
    422,
    'invalid_request',
  ],
  ['lines that do not add up', () => post(lines('48.00', 'USD')), 422, 'amount_not_of_lines'],
  ['lines of no order', () => post({ ...lines('49.00', 'USD'), orderId: undefined }), 422, 'invalid_request'],
  ['a line in another currency', () => post(lines('49.00', 'EUR')), 422, 'currency_mismatch'],
  [
    'a card number in the note',
    () => post(body({ note: 'card 4242 4242 4242 4242' })),
    422,
    'sensitive_text',
  ],
  [
    'one in full-width digits',
    () => post(body({ note: '４２４２４２４２４２４２４２４２' })),
    422,
    'sensitive_text',
  ],
  ['a secret in the note', () => post(body({ note: secret })), 422, 'sensitive_text'],
  [
    'a card number in evidence',
    () => post(body({ evidence: [{ label: '4242424242424242' }] })),
    422,
    'sensitive_text',
  ],
  ['one as the name of a field', () => post(body({ 'x 4242424242424242': 1 })), 422, 'invalid_request'],
  ['a secret as the name of a field', () => post(body({ [secret]: 1 })), 422, 'invalid_request'],
  ['one minor unit over the balance', () => post(amount('200.01')), 422, 'exceeds_remaining'],
  ['an authorization', () => uncaptured(), 422, 'payment_uncaptured'],
  ['an authorization by its intent', () => uncaptured('payment_intent'), 422, 'payment_uncaptured'],
  ['a payment that failed', () => post(body({ paymentId: 'ch_declined' })), 422, 'payment_unknown'],
  ['a payment of 91 days ago', () => daysAgo(91), 422, 'payment_too_old'],
  ['a disputed payment', () => disputed(), 422, 'payment_disputed'],
  ['a list', () => post('[]'), 422, 'invalid_request'],
  ['null', () => post('null'), 422, 'invalid_request'],
  ['nothing', () => post(''), 400, 'malformed_json'],
  ['no JSON', () => post(`{"paymentId": ${marker}`), 400, 'malformed_json'],
  ['30,000 levels', () => post(deep(30_000)), 422, 'invalid_request'],
  ['30,000 levels in a field', () => post(`{"note":${deep(30_000)}}`), 422, 'invalid_request'],
  ['a body of 64 KiB and a byte', () => post(`"${'b'.repeat(64 * 1024 - 1)}"`), 413, 'body_too_large'],
  [
    'a form',
    () => post('a=1', { 'content-type': 'application/x-www-form-urlencoded' }),
    415,
    'unsupported_media_type',
  ],
  ['JSON called text', () => post(body(), { 'content-type': 'text/plain' }), 415, 'unsupported_media_type'],
  ['an agent of nobody', () => post(body(), {}, stack.as('admin')), 403, 'forbidden'],
  ['no token', () => post(body(), { authorization: '' }), 401, 'unauthenticated'],
  ['a bad token', () => post(body(), { authorization: `Bearer ${marker}` }), 401, 'unauthenticated'],
  [
    'a token in the wrong words',
    () => post(body(), { authorization: `Basic ${marker}` }),
    401,
    'unauthenticated',
  ],
];
const secret = ['sk', 'live', '51Hxyz0AbCdEfGhIjKlMnOpQ'].join('_');
const lines = (value: string, currency: string) =>
  body({
    orderId: 'order-1',
    lines: [{ lineId: marker, quantity: 1, of: { quantity: 1, amount: { value, currency } } }],
  });

async function uncaptured(name?: 'payment_intent') {
  const id = await stack.provider.charge(5_000, 'usd', { capture: false });
  const { payment_intent } = await stack.provider.stripe.charges.retrieve(id);
  return post(body({ paymentId: name ? payment_intent : id }));
}

async function daysAgo(days: number, hours = 0) {
  const id = await stack.provider.charge(20_000);
  const created = Math.floor(Date.now() / 1000) - days * 86_400 - hours * 3_600;
  await stack.provider.admin('POST', `charges/${id}`, { created });
  return post(body({ paymentId: id }));
}

async function disputed() {
  const id = await stack.provider.charge(20_000);
  await stack.provider.admin('POST', 'disputes', { charge: id });
  return post(body({ paymentId: id }));
}

describe('what the door refuses', () => {
  test.each(cases)(
    'R41: %s gets its problem, an echo of nothing, and no run',
    async (_what, send, status, code) => {
      const before = await rowsTakenIn(stack);
      const answer = await send();
      expectProblem(answer, status, code);
      for (const sent of [marker, '4242424242424242', '4242 4242', secret])
        expect(answer.text).not.toContain(sent);
      expect(await rowsTakenIn(stack)).toBe(before);
    },
  );

  test('R41: an error in a field names the field', async () => {
    const answer = await post(
      body({ reason: 'x', note: 5, amount: { value: '1', currency: 'USD', exponent: 2 } }),
    );
    expect((answer.body.issues as { path: string }[]).map((issue) => issue.path).sort()).toEqual([
      'amount',
      'note',
      'reason',
    ]);
    expect(answer.text).toContain('unknown field exponent');
  });

  test('R41: the limit of the body binds also where its length is not told in advance', async () => {
    const before = await rowsTakenIn(stack);
    const sending = request(`${stack.apiUrl}/v1/refunds`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${testTokens.acme.service}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        'transfer-encoding': 'chunked',
      },
    });
    for (let i = 0; i < 20; i += 1) sending.write(' '.repeat(4_096));
    sending.end(JSON.stringify(body()));
    const [answer] = (await once(sending, 'response')) as [NodeJS.ReadableStream & { statusCode: number }];
    let text = '';
    for await (const chunk of answer) text += String(chunk);
    expect([answer.statusCode, JSON.parse(text).code]).toEqual([413, 'body_too_large']);
    expect(await rowsTakenIn(stack)).toBe(before);
  });

  test('R20: no refused request has started a workflow', async () => {
    const good = await post(body());
    expect(good.status).toBe(202);
    const { runId } = good.body as { runId: string };
    expect(await workflowsStarted(stack, runId)).toEqual([`refund/acme/${runId}`]);
  });
});

describe('what is just right', () => {
  test('R9: the exact remainder passes, and then one minor unit more is refused', async () => {
    const whole = await stack.provider.charge(20_000);
    const part = (value: string) => post({ ...amount(value), paymentId: whole });
    expect((await part('150.00')).status).toBe(202);
    expectProblem(await part('50.01'), 422, 'exceeds_remaining');
    expect((await part('50.00')).status).toBe(202);
    const refused = await part('0.01');
    expectProblem(refused, 422, 'exceeds_remaining');
    expect(refused.body).toMatchObject({ requested: 1, remaining: 0, currency: 'USD' });
  });

  test('R9: the refund window of 90 days is inclusive to the hour', async () => {
    expect((await daysAgo(89, 23)).status).toBe(202);
    expectProblem(await daysAgo(90, 1), 422, 'payment_too_old');
  });

  test('R56: of a partial capture the captured part passes, no more', async () => {
    const id = await stack.provider.charge(20_000, 'usd', { capture: false });
    await stack.provider.stripe.charges.capture(id, { amount: 4_900 });
    expectProblem(await post({ ...amount('49.01'), paymentId: id }), 422, 'exceeds_remaining');
    expect((await post({ ...amount('49.00'), paymentId: id })).status).toBe(202);
  });

  test('R10: amounts of currencies with none and three decimals', async () => {
    const yen = await stack.provider.charge(500, 'jpy');
    const dinar = await stack.provider.charge(12_340, 'kwd');
    expect((await post({ ...amount('500', 'JPY'), paymentId: yen })).status).toBe(202);
    expectProblem(await post({ ...amount('12.3401', 'KWD'), paymentId: dinar }), 422, 'amount_too_precise');
    expect((await post({ ...amount('12.340', 'KWD'), paymentId: dinar })).status).toBe(202);
  });

  test('R41: the largest body of allowed fields passes', async () => {
    const note = 'n'.repeat(2_000);
    const evidence = Array.from({ length: 20 }, () => ({ label: 'seen', text: 't'.repeat(1_000) }));
    const id = await stack.provider.charge(20_000);
    expect((await post(body({ note, evidence, paymentId: id }))).status).toBe(202);
  });
});

test.each([
  'audit?cursor=x',
  `audit?cursor=${Buffer.from('["2026-01-01",1]').toString('base64url')}`,
  `audit?cursor=${Buffer.from('["no time","run_1","1"]').toString('base64url')}`,
  'audit?limit=0',
  'audit?from=yesterday',
  'audit/chains?cursor=x',
  `audit/chains?cursor=${Buffer.from('["run_1","-1"]').toString('base64url')}`,
  'audit/anchors?after=-1',
])('R41: GET /v1/%s is no page of the audit log', async (path) => {
  expectProblem(await stack.as('admin').call('GET', `/v1/${path}`), 422, 'invalid_request');
});

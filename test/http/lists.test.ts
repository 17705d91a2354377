import type { ApprovalView, RefundView } from '../../src/application/views';
import type { ApprovalDay } from '../../src/client';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

interface Page<Item> {
  readonly items: Item[];
  readonly nextCursor: string | null;
}

async function page<Item>(path: string, params: Record<string, string>): Promise<Page<Item>> {
  const answer = await stack.as('reviewer1').call('GET', `${path}?${new URLSearchParams(params).toString()}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as Page<Item>;
}

/** All pages; `between` runs after each. */
async function all<Item>(
  path: string,
  params: Record<string, string>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const next: Page<Item> = await page<Item>(path, { ...params, ...(cursor === '' ? {} : { cursor }) });
    expect(next.items.length).toBeLessThanOrEqual(Number(params['limit'] ?? 50));
    items.push(...next.items);
    cursor = next.nextCursor;
    if (cursor !== null) await between();
  }
  return items;
}

async function start(amount: string, customer?: string): Promise<string> {
  const paymentId = await stack.provider.charge(100_000, 'usd', customer === undefined ? {} : { customer });
  const started = await stack.as('service').startRefund({ paymentId, amount });
  return started.body.runId as string;
}

const ids = (items: readonly RefundView[]) => items.map((r) => r.runId);

describe('GET /v1/refunds', () => {
  test('pages hold every run once, newest first, while others are taken in', async () => {
    const runs: string[] = [];
    for (let i = 0; i < 7; i += 1) runs.unshift(await start('60.00'));
    const later: string[] = [];
    const seen = ids(
      await all<RefundView>('/v1/refunds', { limit: '2' }, async () => later.push(await start('60.00'))),
    );
    expect(later.length).toBeGreaterThan(2);
    expect(seen).toEqual(runs);
    expect(ids(await all<RefundView>('/v1/refunds', { limit: '3' }))).toEqual([...later.reverse(), ...runs]);
  });

  test('pages hold every run once, also where many were taken in at the very same time', async () => {
    const runs = await Promise.all(Array.from({ length: 5 }, () => start('60.00', 'cus_same')));
    await query(stack.database.adminUrl, `update runs set created_at = now() where run_id = any($1)`, [runs]);
    const seen = ids(await all<RefundView>('/v1/refunds', { customer: 'cus_same', limit: '2' }));
    expect(seen).toEqual([...runs].sort().reverse());
  });

  test('filters by phase and by customer, alone and together', async () => {
    const done = await start('10.00', 'cus_f');
    await stack.as('service').untilPhase(done, 'completed');
    const waiting = await start('60.00', 'cus_f');
    await stack.as('service').untilPhase(waiting, 'waiting_approval');
    const of = async (params: Record<string, string>) => ids(await all<RefundView>('/v1/refunds', params));
    expect(await of({ customer: 'cus_f' })).toEqual([waiting, done]);
    expect(await of({ customer: 'cus_f', phase: 'completed' })).toEqual([done]);
    expect(await of({ customer: 'cus_f', phase: 'expired' })).toEqual([]);
    expect(await of({ customer: 'cus_' })).toEqual([]);
    expect(await of({ customer: 'cus%' })).toEqual([]);
    expect(await of({ phase: 'completed' })).toContain(done);
    expect(await of({ phase: 'completed' })).not.toContain(waiting);
  });

  test('filters by payment, requester, time and amount, each with its boundary, and pages keep to the filter', async () => {
    const paymentId = await stack.provider.charge(100_000, 'usd', { customer: 'cus_filters' });
    const runs: string[] = [];
    for (const [amount, person] of [
      ['61.00', 'service'],
      ['62.00', 'agent'],
      ['63.00', 'service'],
      ['64.00', 'service'],
    ] as const)
      runs.push((await stack.as(person).startRefund({ paymentId, amount })).body.runId as string);
    const [first = '', second = '', third = '', fourth = ''] = runs;
    const of = async (params: Record<string, string>) =>
      ids(await all<RefundView>('/v1/refunds', { customer: 'cus_filters', ...params }));

    expect(await of({ payment: paymentId })).toEqual([fourth, third, second, first]);
    expect(await of({ payment: 'ch_none' })).toEqual([]);
    expect(await of({ requester: 'service', limit: '1' })).toEqual([fourth, third, first]);
    expect(await of({ requester: 'agent' })).toEqual([second]);
    expect(await of({ requester: 'a%' })).toEqual([]);
    expect(await of({ currency: 'USD', min_amount: '62', max_amount: '63.00' })).toEqual([third, second]);
    expect(await of({ currency: 'USD', min_amount: '62.01', limit: '1' })).toEqual([fourth, third]);
    expect(await of({ currency: 'EUR' })).toEqual([]);
    const { createdAt } = await stack.as('service').refund(third);
    const elsewhere = new Date(Date.parse(createdAt) + 3_600_000).toISOString().replace('Z', '+01:00');
    expect(await of({ from: createdAt })).toEqual([fourth, third]);
    expect(await of({ to: createdAt })).toEqual([second, first]);
    expect(await of({ from: elsewhere, requester: 'service', limit: '1' })).toEqual([fourth, third]);

    const theirs = await stack.as('lead', 'globex').call('GET', `/v1/refunds?payment=${paymentId}`);
    const nobodys = await stack.as('lead', 'globex').call('GET', '/v1/refunds?payment=ch_none');
    expect(theirs.body).toEqual({ items: [], nextCursor: null });
    expect(bytesOf(theirs)).toBe(bytesOf(nobodys));
  });

  test.each([
    ['payment='],
    ['payment=two%20words'],
    ['requester=%00'],
    ['from=yesterday'],
    ['from=2026-11-01'],
    ['from=2026-11-01T00:00:00'],
    ['from=2026-13-01T00:00:00Z'],
    ['from=0000-01-01T00:00:00Z'],
    ['to=2026-02-30T00:00:00Z'],
    ['currency=EURO'],
    ['min_amount=5'],
    ['max_amount=5'],
    ['currency=XXX&min_amount=5', 'currency_unknown'],
    ['currency=USD&min_amount=1.234', 'amount_too_precise'],
    ['currency=USD&max_amount=-1', 'amount_invalid'],
    ['currency=USD&max_amount=1,50', 'amount_invalid'],
    ['phase=done'],
    ['limit=0'],
    ['limit=201'],
    ['limit=many'],
    ['limit=1.5'],
    ['customer='],
    ['customer=two%20words'],
    ['customer=%00'],
  ])('R41: ?%s is 422', async (params, code = 'invalid_request') => {
    expectProblem(await stack.as('service').call('GET', `/v1/refunds?${params}`), 422, code);
  });
});

const cursorOf = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url');
const now = '2026-11-01 10:00:00.123456+00';

test.each([
  ['rubbish', 'rubbish'],
  ['nothing', ''],
  ['401 characters', 'x'.repeat(401)],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['an object', Buffer.from('{"a":1}').toString('base64url')],
  ['one part', cursorOf(now)],
  ['three parts', cursorOf(now, 'run_1', 'x')],
  ['a number as time', cursorOf(1, 'run_1')],
  ['a month that is none', cursorOf('2026-13-01 10:00:00+00', 'run_1')],
  ['a day that is none', cursorOf('2026-02-30 10:00:00+00', 'run_1')],
  ['an hour that is none', cursorOf('2026-11-01 99:00:00+00', 'run_1')],
  ['a year that is none', cursorOf('0000-11-01 10:00:00+00', 'run_1')],
  ['a zone that is none', cursorOf('2026-11-01 10:00:00+99', 'run_1')],
  ['an id with a NUL', cursorOf(now, 'run_\u0000')],
  ['an id with half a character', cursorOf(now, 'run_\ud800')],
  ['an id that is too long', cursorOf(now, 'r'.repeat(129))],
  ['SQL', cursorOf(now, "x') or true --")],
])('R41: a cursor of %s is 422 on both lists', async (_what, cursor) => {
  for (const list of ['refunds', 'approvals']) {
    const answer = await stack.as('service').call('GET', `/v1/${list}?cursor=${encodeURIComponent(cursor)}`);
    expectProblem(answer, 422, 'invalid_request');
  }
});

describe('GET /v1/approvals', () => {
  const inbox = async (params: Record<string, string> = {}) =>
    (await all<ApprovalView>('/v1/approvals', params)).map((a) => a.id);

  test('filters by status, group and age, oldest first, in pages', async () => {
    const open = (amount: string) =>
      stack.provider
        .charge(1_000_000)
        .then((paymentId) => stack.as('service').openApproval({ paymentId, amount }));
    const [small, large, rejected] = [await open('60.00'), await open('6000.00'), await open('70.00')];
    expect((await stack.as('reviewer1').decide(rejected, 'reject')).status).toBe(200);
    await query(
      stack.database.adminUrl,
      `update approvals set opened_at = now() - interval '25 hours' where id = $1`,
      [small.id],
    );

    const everything = await inbox();
    expect(everything[0]).toBe(small.id);
    expect(everything).toEqual(await inbox({ limit: '2' }));
    expect(await inbox({ status: 'rejected' })).toEqual([rejected.id]);
    expect(await inbox({ status: 'open', group: 'finance-lead' })).toEqual([large.id]);
    const approvers = await inbox({ status: 'open', group: 'approvers' });
    expect(approvers).toContain(small.id);
    expect(approvers).not.toContain(large.id);
    expect(await inbox({ group: 'approver' })).toEqual([]);
    for (const age of ['25h', '1d', '90000', '1500m', '90000s'])
      expect(await inbox({ min_age: age })).toEqual([small.id]);
    expect(await inbox({ min_age: '26h' })).toEqual([]);
    expect(await inbox({ min_age: '0' })).toEqual(everything);
  });

  test.each([
    'status=lost',
    'min_age=-1',
    'min_age=1w',
    'min_age=9999999',
    'group=',
    'group=%00',
    `group=${'g'.repeat(65)}`,
  ])('R41: ?%s is 422', async (params) => {
    expectProblem(await stack.as('service').call('GET', `/v1/approvals?${params}`), 422, 'invalid_request');
  });
});

describe('GET /v1/approvals/daily', () => {
  const daily = async (tenant: 'acme' | 'globex') =>
    (await stack.as('lead', tenant).call('GET', '/v1/approvals/daily')).body as Page<ApprovalDay>;

  test('R38: tells of each of the last 14 days of the own tenant, the oldest first, and nothing of another', async () => {
    const before = await daily('acme');
    const foreign = await daily('globex');
    const paymentId = await stack.provider.charge(1_000_000);
    const service = stack.as('service');
    const decided = await service.openApproval({ paymentId, amount: '60.00' });
    await service.openApproval({ paymentId, amount: '61.00' });
    expect((await stack.as('reviewer1').decide(decided, 'reject')).status).toBe(200);
    const after = await daily('acme');

    const dates = after.items.map(({ date }) => date);
    const midnights = dates.map((date) => Date.parse(`${date}T00:00:00Z`));
    expect(midnights.slice(1).map((at, i) => at - midnights[i]!)).toEqual(Array(13).fill(86_400_000));
    expect(after.nextCursor).toBeNull();
    const elsewhere = await service.call('GET', '/v1/approvals/daily?timeZone=Pacific%2FKiritimati');
    expect((elsewhere.body as Page<ApprovalDay>).items.at(-1)?.date).toBe(
      new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10),
    );
    for (const zone of ['Mars%2FOlympus', '%2B02:00', ''])
      expectProblem(
        await service.call('GET', `/v1/approvals/daily?timeZone=${zone}`),
        422,
        'invalid_request',
      );
    expect(await daily('globex')).toEqual({ items: [...foreign.items], nextCursor: null });
    expect(foreign.items.every(({ opened, waiting }) => opened + waiting === 0)).toBe(true);
    // Midnight may have passed meanwhile: over all days, nothing is in another day than the one it happened on.
    const sum = ({ items }: Page<ApprovalDay>, of: 'opened' | 'decided') =>
      items.reduce((total, day) => total + day[of], 0);
    expect(sum(after, 'opened') - sum(before, 'opened')).toBe(2);
    expect(sum(after, 'decided') - sum(before, 'decided')).toBe(1);
    expect(after.items.at(-1)!.waiting - before.items.at(-1)!.waiting).toBe(1);
  });
});

import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';

interface Page {
  readonly items: ApprovalView[];
  readonly nextCursor: string | null;
}

describe('the inbox', () => {
  let stack: TestStack;
  const of: Record<string, ApprovalView> = {};
  const name = (id: string) => Object.entries(of).find(([, approval]) => approval.id === id)?.[0] ?? id;

  async function list(params: Record<string, string>): Promise<Page> {
    const search = new URLSearchParams({ status: 'open', ...params }).toString();
    const answer = await stack.as('reviewer1').call('GET', `/v1/approvals?${search}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body as Page;
  }
  const names = async (params: Record<string, string>) =>
    (await list(params)).items.map(({ id }) => name(id));

  async function open(label: string, amount: string, more: Record<string, unknown> = {}): Promise<void> {
    const { currency = 'USD', customer, ...fields } = more as { currency?: string; customer?: string };
    const minor = currency === 'JPY' ? 10_000_000 : 1_000_000;
    const payment = await stack.provider.charge(
      minor,
      currency.toLowerCase(),
      customer === undefined ? {} : { customer },
    );
    const refund = { paymentId: payment, amount, currency, ...fields };
    of[label] = await stack.as('service').openApproval(refund);
  }

  beforeAll(async () => {
    stack = await TestStack.start();
    await open('small', '60.00', { note: 'a broken teapot', orderId: 'ORDER-42' });
    await open('middle', '700.00', { customer: 'cus_tea', note: 'Der Wasserkocher ist kaputt' });
    await open('large', '6000.00', {
      onBehalfOf: 'maria',
      evidence: [{ label: 'photo', text: 'lid cracked' }],
    });
    await open('yen', '40000', { currency: 'JPY' });
    await open('again', '80.00', { customer: 'cus_tea' });
  });
  afterAll(() => stack.stop());

  test('is filtered by amount within a currency, customer, group, age, deadline and risk', async () => {
    expect(await names({ currency: 'USD', min_amount: '80.00' })).toEqual(['middle', 'large', 'again']);
    expect(await names({ currency: 'USD', min_amount: '60.01', max_amount: '700' })).toEqual([
      'middle',
      'again',
    ]);
    expect(await names({ currency: 'JPY' })).toEqual(['yen']);
    expect(await names({ customer: 'cus_tea' })).toEqual(['middle', 'again']);
    expect(await names({ customer: 'cus_%' })).toEqual([]);
    expect(await names({ group: 'finance-lead' })).toEqual(['large']);
    expect(await names({ risk: 'senior_only' })).toEqual(['large']);
    expect(await names({ risk: 'on_behalf' })).toEqual(['large']);
    expect(await names({ risk: 'aggregate' })).toEqual(['again']);
    expect(await names({ risk: 'disputed' })).toEqual([]);
    expect(await names({ due_in: '1h' })).toEqual([]);
    expect((await names({ due_in: '73h' })).length).toBe(5);
    expect(await names({ assignee: 'me' })).toEqual([]);
  });

  test('is sorted, and pages keep their order while it grows', async () => {
    expect(await names({})).toEqual(['small', 'middle', 'large', 'yen', 'again']);
    expect(await names({ sort: 'newest' })).toEqual(['again', 'yen', 'large', 'middle', 'small']);
    expect(await names({ sort: 'amount', currency: 'USD' })).toEqual(['large', 'middle', 'again', 'small']);
    const first = await list({ sort: 'amount', currency: 'USD', limit: '2' });
    await open('late', '9000.00');
    const rest = await names({ sort: 'amount', currency: 'USD', cursor: first.nextCursor ?? '' });
    expect([...first.items.map(({ id }) => name(id)), ...rest]).toEqual([
      'large',
      'middle',
      'again',
      'small',
    ]);
    expect((await names({ sort: 'deadline', limit: '1' }))[0]).toBe('small');
    const other = { sort: 'newest', cursor: first.nextCursor ?? '' };
    const search = new URLSearchParams(other).toString();
    expectProblem(await stack.as('reviewer1').call('GET', `/v1/approvals?${search}`), 422, 'invalid_request');
  });

  test('is searched by words and ids, as a person types them', async () => {
    expect(await names({ q: 'teapot' })).toEqual(['small']);
    expect(await names({ q: 'WASSERKOCHER kaputt' })).toEqual(['middle']);
    expect(await names({ q: '"lid cracked"' })).toEqual(['large']);
    expect(await names({ q: 'ORDER-42' })).toEqual(['small']);
    expect(await names({ q: of['yen']?.target ?? '' })).toEqual(['yen']);
    expect(await names({ q: 'broken -teapot' })).toEqual([]);
    for (const odd of ["'; drop table approvals; --", '%', '\\', '"', '((', ':*', '🫖'])
      expect(await names({ q: odd })).toEqual([]);
  });

  test('R38: finds nothing of another tenant, by any filter', async () => {
    for (const filter of ['q=teapot', 'customer=cus_tea', 'status=open', 'risk=senior_only']) {
      const { body } = await stack.as('reviewer1', 'globex').call('GET', `/v1/approvals?${filter}`);
      expect(body).toEqual({ items: [], nextCursor: null });
    }
  });

  test.each([
    'min_amount=5',
    'sort=amount',
    'sort=cheapest',
    'currency=USD&min_amount=1.234',
    'currency=usd&max_amount=1',
    'risk=scary',
    'due_in=soon',
    'q=',
    `q=${'x'.repeat(201)}`,
  ])('R41: ?%s is 422 and says why', async (params) => {
    const answer = await stack.as('reviewer1').call('GET', `/v1/approvals?${params}`);
    expect([params, answer.status]).toEqual([params, 422]);
    expect(answer.body.detail).toMatch(/\w/);
  });

  test('counts what waits, by group and soon', async () => {
    const { body } = await stack.as('reviewer1').call('GET', '/v1/approvals/counts');
    expect(body).toMatchObject({ claimedByMe: 0, dueWithin24h: 0, byGroup: { 'finance-lead': 2 } });
    expect(body.open).toBe(6);
    const { body: foreign } = await stack.as('reviewer1', 'globex').call('GET', '/v1/approvals/counts');
    expect(foreign).toMatchObject({ open: 0, byGroup: {} });
  });

  test('each order and filter goes by an index, whatever else the tenant has', async () => {
    await query(
      stack.database.ownerUrl,
      `with made as (
         insert into runs (run_id, tenant, payment_id, requester, request, amount, currency, phase)
         select 'run_bulk' || n, tenant, payment_id, requester, request, amount, currency, phase
         from runs, generate_series(1, 20000) n where run_id = $1 returning run_id)
       insert into approvals (id, tenant, run_id, epoch, status, approver_group, amount, currency, state, facts, opened_at, deadline)
       select replace(made.run_id, 'run_', 'apr_'), a.tenant, made.run_id, a.epoch, a.status, a.approver_group, a.amount,
         a.currency, a.state, a.facts, a.opened_at + interval '1 second', a.deadline
       from made, approvals a where a.run_id = $1`,
      [of['small']?.runId],
    );
    await query(stack.database.ownerUrl, 'analyze approvals');
    const plans = {
      opened_at: 'approvals_inbox',
      deadline: 'approvals_by_deadline',
      amount: 'approvals_by_amount',
    };
    for (const [column, index] of Object.entries(plans)) {
      const rows = await query<{ 'QUERY PLAN': string }>(
        stack.database.ownerUrl,
        `explain select * from approvals where tenant = 'acme' and status = 'open' and currency = 'USD'
         order by ${column}, id limit 51`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(`Index Scan using ${index}`);
      expect(plan).not.toContain('Sort');
    }
    expect(await names({ q: 'kaputt' })).toEqual(['middle']);
    expect((await list({ q: 'teapot', limit: '3' })).items).toHaveLength(3);
  });
});

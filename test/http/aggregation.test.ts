import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');

async function start(paymentId: string, amount: string): Promise<string> {
  const started = await service().startRefund({ paymentId, amount });
  expect(started.status).toBe(202);
  return started.body.runId as string;
}

/** What became of it: paid without a person, or waiting for one. */
async function settled(runId: string): Promise<'paid' | 'waits'> {
  let phase = '';
  await until(async () => {
    ({ phase } = await service().refund(runId));
    return phase === 'completed' || phase === 'waiting_approval';
  });
  return phase === 'completed' ? 'paid' : 'waits';
}

describe('split requests', () => {
  test('R30: the second 49.00 on one payment needs approval, and says why', async () => {
    const charge = await stack.provider.charge(20_000);
    expect(await settled(await start(charge, '49.00'))).toBe('paid');
    const second = await start(charge, '49.00');
    expect(await settled(second)).toBe('waits');
    const { approval } = await service().refund(second);
    expect((await stack.as('reviewer1').approval(approval?.id ?? '')).policy).toMatchObject({
      aggregate: { value: '98.00', currency: 'USD' },
      ruleIds: expect.arrayContaining(['aggregate']),
      explanation: expect.stringMatching(/count together/),
    });
    expect(await stack.provider.refunds(charge)).toHaveLength(1);
  });

  test('R30: sent at the same time, at most one of them passes without a person', async () => {
    for (let round = 0; round < 3; round += 1) {
      const charge = await stack.provider.charge(40_000);
      const runs = await Promise.all(Array.from({ length: 4 }, () => start(charge, '49.00')));
      const ends = await Promise.all(runs.map(settled));
      expect(ends.filter((end) => end === 'paid').length).toBeLessThanOrEqual(1);
      expect((await stack.provider.refunds(charge)).length).toBeLessThanOrEqual(1);
    }
  });

  test('R30: over several payments of one customer they count together too, and not over two customers', async () => {
    const of = (customer: string) => stack.provider.charge(20_000, 'usd', { customer });
    expect(await settled(await start(await of('cus_a'), '49.00'))).toBe('paid');
    expect(await settled(await start(await of('cus_a'), '1.01'))).toBe('waits');
    expect(await settled(await start(await of('cus_b'), '49.00'))).toBe('paid');
  });

  test('R30: what was refunded by hand at the provider counts as well', async () => {
    const charge = await stack.provider.charge(20_000);
    await stack.provider.stripe.refunds.create({ charge, amount: 4_900 });
    expect(await settled(await start(charge, '1.01'))).toBe('waits');
  });

  test('R30: beyond the daily cap of its principal a small refund needs a person; those of others do not', async () => {
    await query(
      stack.database.adminUrl,
      `insert into runs (run_id, tenant, phase, requester, payment_id, currency, amount, money, automatic, request)
       select 'run_of_today_' || i, 'acme', 'completed', 'agent', 'ch_' || i, 'USD', 4875, 'paid', true, '{}'
       from generate_series(1, 41) i`,
    );
    const agent = stack.as('agent');
    const ask = async (amount: string) => {
      const paymentId = await stack.provider.charge(20_000);
      return (await agent.startRefund({ paymentId, amount })).body.runId as string;
    };
    // 41 times 48.75 are 1998.75 of 2000.00.
    expect(await settled(await ask('1.25'))).toBe('paid');
    const beyond = await ask('0.01');
    expect(await settled(beyond)).toBe('waits');
    const { approval } = await agent.refund(beyond);
    expect((await agent.approval(approval?.id ?? '')).policy.ruleIds).toContain('daily-automatic-cap');
    expect(await settled(await start(await stack.provider.charge(20_000), '1.00'))).toBe('paid');
  });
});

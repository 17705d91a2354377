import { Countersign } from '../../src/client';
import { query } from '../support/database';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { check, rowOf, sql, told, untilIndexed } from './checkingInbox';
import { paidOut } from './evidence';

describe('while people decide, and while no worker runs', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (amount?: string) => stack.opened(amount, 1_000_000);

  test('R25: what changes while it is checked and repaired is no drift, and no vote is lost', async () => {
    const cases = await Promise.all(Array.from({ length: 4 }, () => opened('800.00')));
    const { approvals: inbox } = new Countersign({
      baseUrl: stack.apiUrl,
      token: testTokens.acme.admin,
    });
    let deciding = true;
    const checks = (async () => {
      const repaired: unknown[] = [];
      while (deciding) {
        const { differences } = await inbox.check({ repair: true });
        repaired.push(...differences.filter((difference) => difference.repaired));
      }
      return repaired;
    })();
    try {
      for (const { approval } of cases)
        expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBeLessThan(300);
      for (const { approval } of cases)
        expect((await stack.as('reviewer2').decide(approval, 'approve')).status).toBeLessThan(300);
      for (const { approval } of cases) await stack.as('service').untilPhase(approval.runId, 'completed');
    } finally {
      deciding = false;
    }
    expect(await checks).toEqual([]);
    for (const { charge } of cases) expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
  });

  test('R26: while a decision is on its way to the run, its row is not repaired', async () => {
    const { approval } = await opened();
    await sql(
      stack,
      `update approvals set state = jsonb_set(state, '{revision}', '7') where id = $1`,
      approval.id,
    );
    await query(
      stack.database.adminUrl,
      `insert into outbox (tenant, run_id, kind, ref, created_at) values ('acme', $1, 'decision', 'd', now() + interval '1 h')`,
      [approval.runId],
    );
    const waiting = await check(stack, '--repair');
    expect([waiting.code, waiting.report.differences]).toEqual([1, [told('unanswered', approval)]]);
    await query(stack.database.adminUrl, `delete from outbox where run_id = $1`, [approval.runId]);
    const repaired = await check(stack, '--repair');
    expect([repaired.code, repaired.report.differences]).toMatchObject([0, [{ repaired: true }]]);
  });

  test('without a worker nothing is proven: unanswered, exit code 1, and nothing is repaired', async () => {
    const { approval } = await opened();
    await untilIndexed(stack, approval);
    await stack.killWorkers();
    await sql(
      stack,
      `update approvals set state = jsonb_set(state, '{revision}', '7') where id = $1`,
      approval.id,
    );
    const before = await rowOf(stack, approval);
    const { code, report } = await check(stack, '--repair');
    expect([code, report.ok]).toEqual([1, false]);
    expect(report.differences).toContainEqual(told('unanswered', approval));
    expect(report.differences.every(({ repaired, kind }) => !repaired && kind === 'unanswered')).toBe(true);
    expect(await rowOf(stack, approval)).toEqual(before);
    await stack.startWorker();
    await until(async () => (await check(stack, '--repair')).code === 0);
    expect((await rowOf(stack, approval))?.['state']).toMatchObject({ revision: 1 });
  });
});

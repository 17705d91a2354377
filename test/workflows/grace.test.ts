import type { ApprovalView } from '../../src/application/views';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, balanceOf, eventsOf, historyOf, paidOut, refundCalls } from './evidence';
import { publishPolicy } from './publishedPolicy';

const hourMs = 3_600_000;
const second = 1 / 3_600;

interface Opened {
  readonly charge: string;
  readonly approval: ApprovalView;
}

describe('the deadline passes in an outage', () => {
  let stack: TestStack;
  let forgiven: Opened;
  let edited: Opened;
  let strict: Opened;

  async function opened(tenant: 'acme' | 'globex'): Promise<Opened> {
    const charge = await stack.provider.charge(100_000);
    const approval = await stack.as('service', tenant).openApproval({ paymentId: charge, amount: '120.00' });
    await until(async () =>
      (await historyOf(stack, approval.runId, tenant)).some((e) => e.timerStartedEventAttributes),
    );
    return { charge, approval };
  }

  beforeAll(async () => {
    stack = await TestStack.start();
    const short = { expiryHours: 8 * second, remindersHours: [] };
    const grace = { graceAfterOutageHours: 2, outageAfterMinutes: 0.01 };
    await publishPolicy(stack, 'acme', { ...short, ...grace });
    await publishPolicy(stack, 'globex', { ...short });
    [forgiven, edited, strict] = await Promise.all([opened('acme'), opened('acme'), opened('globex')]);
    await stack.killWorkers();
    const raise = { arguments: { amount: { value: '130.00', currency: 'USD' } } };
    expect((await stack.as('reviewer1').decide(edited.approval, 'edit', raise)).status).toBe(202);
    await until(async () => Date.now() > Date.parse(edited.approval.deadline) + 1_000);
  });
  afterAll(() => stack.stop());

  test('R25: until somebody is back, whatever is received after the deadline is told that it is late', async () => {
    const late = await stack.as('reviewer2').decide(forgiven.approval, 'approve');
    expect([late.status, late.body.code]).toEqual([409, 'approval_expired']);
  });

  test('R28: where policy gives grace the deadline is later, once, on record and told; then a vote counts', async () => {
    await stack.startWorker();
    await until(async () => (await eventsOf(stack, forgiven.approval.runId)).includes('deadline_extended'));
    const again = await stack.as('lead').approval(forgiven.approval.id);
    expect(again.clock.extendedFrom).toBe(forgiven.approval.deadline);
    const left = Date.parse(again.deadline) - Date.parse(forgiven.approval.deadline);
    expect(left > 2 * hourMs && left < 3 * hourMs).toBe(true);
    const line = (await auditOf(stack, forgiven.approval.runId)).find((l) => l.event === 'deadline_extended');
    expect(line).toMatchObject({ actor: 'countersign', after: { deadline: again.deadline } });
    const told = await query(
      stack.database.adminUrl,
      `select 1 from notifications where run_id = $1 and recipient = 'group:approvers' and data->>'deadline' = $2`,
      [forgiven.approval.runId, again.deadline],
    );
    expect(told).toHaveLength(1);

    expect((await stack.as('reviewer2').decide(again, 'approve')).body.status).toBe('approved');
    await stack.as('service').untilPhase(forgiven.approval.runId, 'completed');
    expect(await paidOut(stack, forgiven.charge)).toEqual([[12_000, 'succeeded']]);
  }, 60_000);

  test('R26: an edit received in time and applied after the outage leaves time to decide on it', async () => {
    await until(async () => (await eventsOf(stack, edited.approval.runId)).includes('deadline_extended'));
    const revised = await stack.as('lead').approval(edited.approval.id);
    expect(revised).toMatchObject({ status: 'open', revision: 2, votes: [] });
    await stack.temporal.skipTime('acme', edited.approval.runId);
    await stack.as('service').untilPhase(edited.approval.runId, 'expired');
    const events = await eventsOf(stack, edited.approval.runId);
    expect(events.filter((event) => event === 'deadline_extended')).toHaveLength(1);
    expect(await refundCalls(stack, edited.charge)).toEqual([]);
    expect(await balanceOf(stack, edited.charge)).toMatchObject({ reserved: 0 });
  }, 60_000);

  test('R28: without grace in the policy the same approval expires, and holds nothing', async () => {
    await stack.as('service', 'globex').untilPhase(strict.approval.runId, 'expired');
    expect(await eventsOf(stack, strict.approval.runId)).not.toContain('deadline_extended');
    expect(await balanceOf(stack, strict.charge)).toMatchObject({ reserved: 0 });
  });
});

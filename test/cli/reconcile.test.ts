import { TestStack } from '../support/stack';
import { behindOurBack, paid, withoutEvents, withoutGrace } from '../workflows/reconciling';
import { actor } from './actors';

describe('countersign reconcile, countersign payment history', () => {
  let stack: TestStack;
  let lead: ReturnType<typeof actor>;
  beforeAll(async () => {
    stack = await TestStack.start({ env: withoutGrace });
    await withoutEvents(stack);
    lead = actor(stack, 'lead');
  });
  afterAll(() => stack.stop());

  test('nothing open: exit code 0, and what to do to compare; something open: exit code 1, with a plain explanation', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId } = await paid(stack, charge, '10.00');
    const none = await lead('reconcile');
    expect([none.code, none.stderr]).toEqual([0, '']);
    expect(none.stdout).toContain('countersign reconcile --now');

    await behindOurBack(stack, `update effects set provider_id = 're_lost' where run_id = '${runId}'`);
    const now = await lead('reconcile', '--now');
    expect(now.code).toBe(1);
    expect(now.stderr).toMatch(/finished +\d+ pages, 1 payments compared, 2 differences/);
    expect(now.stdout).toContain(
      `Run ${runId} has refund re_lost of 10.00 USD on record as succeeded, and the provider lists no such refund`,
    );
    expect(now.stdout).toContain(`countersign payment history ${charge}`);

    const machine = await lead('reconcile', '--json');
    expect([machine.code, machine.stderr]).toEqual([1, '']);
    expect(machine.json.items).toHaveLength(2);
    const [first, second] = machine.json.items as readonly { id: string }[];
    const both = await lead('reconcile', '--now', '--json', '--days', '2');
    expect([both.code, both.stderr]).toEqual([1, '']);
    expect(both.json['reconciliation']).toMatchObject({ state: 'finished', requestedBy: 'lead' });

    const dismissed = await lead('reconcile', 'dismiss', first!.id, '--comment', 'seen', '--json');
    expect([dismissed.code, dismissed.json]).toEqual([
      0,
      expect.objectContaining({ status: 'dismissed', dismissedBy: 'lead' }),
    ]);
    const left = await lead('reconcile', '--all', '--json');
    expect([left.code, left.json.items.map(({ id }) => id)]).toEqual([1, [second!.id]]);
    await lead('reconcile', 'dismiss', second!.id, '--comment', 'seen');
    expect((await lead('reconcile')).code).toBe(0);
    const any = await lead('reconcile', '--status', 'any', '--json');
    expect([any.code, any.json.items.length]).toEqual([0, 2]);

    const runs = await lead('reconcile', 'runs');
    expect([runs.code, runs.stdout]).toEqual([0, expect.stringMatching(/^RECONCILIATION +STATE +STARTED/)]);
    expect((await lead('reconcile', 'runs', '--json')).json.items).toHaveLength(2);
  });

  test('refused and wrong usage', async () => {
    const service = await actor(stack, 'service')('reconcile', '--now', '--json');
    expect([service.code, service.problem.code]).toEqual([1, 'forbidden']);
    const status = await lead('reconcile', '--status', 'closed', '--json');
    expect([status.code, status.problem.code]).toEqual([1, 'invalid_request']);
    const days = await lead('reconcile', '--now', '--days', '0');
    expect([days.code, days.stderr]).toEqual([2, expect.stringContaining('from 1 to 366')]);
    const unknown = await lead('reconcile', 'dismiss', 'dif_0', '--comment', 'c', '--json');
    expect([unknown.code, unknown.problem.code]).toEqual([1, 'not_found']);
  });

  test('R6: a history, as a table and as JSON', async () => {
    const charge = await stack.provider.charge(20_000);
    const { runId, refundId } = await paid(stack, charge, '10.50');
    const shown = await lead('payment', 'history', charge);
    expect(shown.code).toBe(0);
    const lines = shown.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual([
      ...['WHEN', 'WHAT', 'FROM', 'TO', 'AMOUNT', 'LEFT', 'HELD', 'UNKNOWN', 'REFUNDED', 'DISPUTED'],
      ...['BY', 'RUN', 'REFUND'],
    ]);
    expect(lines.slice(1).map((cells) => cells.slice(1))).toEqual([
      [
        'captured',
        'customer',
        'captured',
        '200.00 USD',
        '200.00',
        '0.00',
        '0.00',
        '0.00',
        '0.00',
        'provider',
      ],
      [
        ...['reserved', 'captured', 'reserved', '10.50 USD', '189.50', '10.50', '0.00', '0.00', '0.00'],
        ...['service', runId],
      ],
      [
        ...['refunded', 'reserved', 'refunded', '10.50 USD', '189.50', '0.00', '0.00', '10.50', '0.00'],
        ...['provider', runId, refundId],
      ],
    ]);
    const page = await lead('payment', 'history', charge, '--limit', '2', '--json');
    expect(page.json.items).toHaveLength(2);
    const rest = ['--limit', '2', '--cursor', String(page.json['nextCursor']), '--json'];
    expect((await lead('payment', 'history', charge, ...rest)).json).toMatchObject({
      items: [{ seq: 3, cause: 'refunded', refundId }],
      nextCursor: null,
    });
    const unknown = await lead('payment', 'history', 'ch_0', '--json');
    expect([unknown.code, unknown.problem.code]).toEqual([1, 'not_found']);
  });
});

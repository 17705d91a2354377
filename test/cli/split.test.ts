import { randomUUID } from 'node:crypto';
import { approvalIdOf } from '../support/api';
import { TestStack } from '../support/stack';
import { actor } from './actors';

let stack: TestStack;
let service: ReturnType<typeof actor>;
beforeAll(async () => {
  stack = await TestStack.start();
  service = actor(stack, 'service');
});
afterAll(() => stack.stop());

const charges = (...amounts: number[]) => Promise.all(amounts.map((amount) => stack.provider.charge(amount)));

describe('countersign refund split', () => {
  const split = (payments: string[], amount: string, ...more: string[]) =>
    service(
      ...[
        'refund',
        'split',
        '--order',
        'order-7',
        '--amount',
        amount,
        '--currency',
        'USD',
        '--reason',
        'damaged',
      ],
      ...['--payment', ...payments, ...more],
    );

  test('R11: shows the exact parts, and show-split how far they are', async () => {
    const payments = await charges(10_000, 10_000, 10_000);
    const made = await split(payments, '40.00');
    expect([made.code, made.stderr]).toEqual([0, '']);
    for (const part of ['13.34 USD', '13.33 USD', 'idempotency key  cli-', ...payments])
      expect(made.stdout).toContain(part);
    const splitId = /spl_[0-9a-f]{32}/.exec(made.stdout)?.[0] ?? '';
    const { json } = await service('refund', 'show-split', splitId, '--json');
    for (const { runId } of json.refunds as { runId: string }[])
      await stack.as('service').untilPhase(runId, 'completed');
    const shown = await service('refund', 'show-split', splitId);
    expect(shown.stdout).toMatch(/^spl_[0-9a-f]{32} {2}completed\n/);
    expect(shown.stdout).toMatch(/gone back +40\.00 USD/);
  });

  test('R3: the same key is the same split; more than remains is refused with what there is', async () => {
    const payments = await charges(3_000, 3_000);
    const key = ['--idempotency-key', randomUUID(), '--json'];
    const first = await split(payments, '40.00', '--allocation', 'in_order', ...key);
    const again = await split(payments, '40', '--allocation', 'in_order', ...key);
    expect([first.code, again.code, again.json.splitId]).toEqual([0, 0, first.json.splitId]);
    expect(first.json.refunds).toMatchObject([
      { amount: { value: '30.00' } },
      { amount: { value: '10.00' } },
    ]);
    const more = await split(payments, '20.01');
    expect([more.code, more.stdout]).toEqual([1, '']);
    expect(more.stderr).toContain('asked for: 20.01 USD, remaining: 20.00 USD');
  });

  test('wrong usage is said before anything is asked', async () => {
    expect((await split(['ch_1'], '1.00', '--allocation', 'random')).code).toBe(2);
    expect((await service('refund', 'split', '--order', 'o')).code).toBe(2);
    const unknown = await service('refund', 'show-split', 'spl_x', '--json');
    expect([unknown.code, unknown.problem]).toEqual([1, expect.objectContaining({ code: 'not_found' })]);
  });
});

describe('countersign refund start --line', () => {
  const start = (payment: string, amount: string, ...more: string[]) =>
    service(
      ...['refund', 'start', '--payment', payment, '--order', `order-${payment}`, '--amount', amount],
      ...['--currency', 'USD', '--reason', 'damaged', ...more],
    );

  test('R11: shows lines and shipping with their shares, to whoever approves too', async () => {
    const [charge = ''] = await charges(50_000);
    const lines = ['--line', 'sku=a=2/3@100.00', 'sku-b=1/1@20.00', '--shipping', '2.00/4.90'];
    const made = await start(charge, '88.67', ...lines, '--json');
    expect([made.code, made.stderr]).toEqual([0, '']);
    const { runId } = made.json as { runId: string };
    await stack.as('service').untilPhase(runId, 'waiting_approval');
    for (const shown of [
      await service('refund', 'show', runId),
      await actor(stack, 'reviewer1')('approvals', 'show', approvalIdOf(runId)),
    ]) {
      expect(shown.stdout).toMatch(/line +sku=a: 2 of 3, 66\.67 USD of 100\.00 USD/);
      expect(shown.stdout).toMatch(/line +sku-b: 1 of 1, 20\.00 USD of 20\.00 USD/);
      expect(shown.stdout).toMatch(/shipping +2\.00 USD of 4\.90 USD/);
    }
    const wrong = await start(charge, '33.34', '--line', 'sku=a=1/3@100.00');
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain('the lines come to 33.33 USD');
  });

  test('a line that is not of its form is wrong usage', async () => {
    for (const line of ['sku', 'sku=1@10.00', 'sku=1/3', '=1/3@10.00', 'sku=a/3@10.00']) {
      const wrong = await start('ch_1', '1.00', '--line', line);
      expect([line, wrong.code]).toEqual([line, 2]);
      expect(wrong.stderr).toContain('sku-1=1/3@10.00');
    }
  });
});

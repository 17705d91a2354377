import { randomUUID } from 'node:crypto';
import { approvalIdOf } from '../support/api';
import { TestStack } from '../support/stack';
import { actor } from './actors';
import { runCli, type Printed } from './runCli';

describe('countersign refund', () => {
  let stack: TestStack;
  let service: ReturnType<typeof actor>;
  beforeAll(async () => {
    stack = await TestStack.start();
    service = actor(stack, 'service');
  });
  afterAll(() => stack.stop());

  const start = (payment: string, amount: string, ...more: string[]) =>
    service(
      ...['refund', 'start', '--payment', payment, '--amount', amount, '--currency', 'USD'],
      ...['--reason', 'damaged', ...more],
    );

  test('R3: the same key and options are the same run, other options are refused', async () => {
    const charge = await stack.provider.charge(20_000);
    const key = randomUUID();
    const first = await start(charge, '60.00', '--idempotency-key', key, '--json');
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.json).toEqual({
      runId: expect.stringMatching(/^run_/),
      phase: 'validating',
      links: expect.objectContaining({ self: expect.stringContaining('/v1/refunds/run_') }),
      idempotencyKey: key,
    });

    const again = await start(charge, '60', '--idempotency-key', key, '--json');
    expect([again.code, again.json.runId]).toEqual([0, first.json.runId]);
    const other = await start(charge, '61.00', '--idempotency-key', key, '--json');
    expect([other.code, other.problem]).toEqual([
      1,
      expect.objectContaining({ status: 409, code: 'idempotency_conflict', runId: first.json.runId }),
    ]);
  });

  test('without a key one is made, another one each time, and printed', async () => {
    const charge = await stack.provider.charge(20_000);
    const [first, second] = await Promise.all([start(charge, '60.00'), start(charge, '60.00', '--json')]);
    const printed = /idempotency key {2}(cli-[0-9a-f-]{36})/.exec(first.stdout)?.[1];
    const runId = /^(run_[0-9a-f]+) is validating/.exec(first.stdout)?.[1];
    expect([first.code, runId]).toEqual([0, expect.any(String)]);
    expect(second.json.idempotencyKey).toMatch(/^cli-/);
    expect(second.json.idempotencyKey).not.toBe(printed);
    expect(second.json.runId).not.toBe(runId);
    const again = await start(charge, '60.00', '--idempotency-key', printed!, '--json');
    expect(again.json.runId).toBe(runId);
  });

  test('everything that is said about a refund is shown with it', async () => {
    const charge = await stack.provider.charge(20_000, 'usd', { customer: 'cus_of_charge' });
    const more = [
      '--order',
      'O-7',
      '--thread',
      't-1',
      '--on-behalf-of',
      'kim',
      '--note',
      'box\u001b[31m crushed',
    ];
    const { json } = await start(charge, '60.00', '--evidence', 'photo', 'letter', '--json', ...more);
    await stack.as('service').untilPhase(json.runId, 'waiting_approval');

    const shown = await service('refund', 'show', json.runId, '--json');
    expect(shown.json).toMatchObject({
      runId: json.runId,
      phase: 'waiting_approval',
      arguments: { amount: { value: '60.00', currency: 'USD' }, reason: 'damaged' },
      customerId: 'cus_of_charge',
      orderId: 'O-7',
      threadId: 't-1',
      onBehalfOf: 'kim',
      note: 'box\u001b[31m crushed',
    });
    const page = await service('refund', 'show', json.runId);
    expect(page.code).toBe(0);
    expect(page.stdout).toContain(`${json.runId}  waiting_approval`);
    expect(page.stdout).toMatch(/amount +60\.00 USD\n/);
    expect(page.stdout).toMatch(/requested +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(\d+ s ago\)/);
    expect(page.stdout).toContain(`countersign approvals show ${approvalIdOf(json.runId)}`);
    // Somebody else's text does not steer this terminal.
    expect(page.stdout).toMatch(/note +box \[31m crushed\n/);
    const facts = await stack.as('service').approval(approvalIdOf(json.runId));
    expect(facts.facts).toMatchObject({ evidence: ['photo', 'letter'] });
  });

  test('watch ends with the run, and its exit code says whether it was completed', async () => {
    const charge = await stack.provider.charge(20_000);
    const paid = await start(charge, '20.00', '--json');
    const watched = await service('refund', 'watch', paid.json.runId, '--json');
    expect(watched.code).toBe(0);
    const lines = watched.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Printed);
    expect(lines.slice(0, -1).map((line) => line.seq)).toEqual(lines.slice(0, -1).map((_, i) => i + 1));
    expect(lines.at(-2)).toMatchObject({ event: 'completed' });
    expect(lines.at(-1)).toMatchObject({ runId: paid.json.runId, phase: 'completed' });

    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    const watching = service('refund', 'watch', approval.runId);
    await stack.as('reviewer1').decide(approval, 'reject');
    const rejected = await watching;
    expect(rejected.code).toBe(1);
    expect(rejected.stdout).toMatch(/^\d\d:\d\d:\d\d {2}requested +service +.*70\.00 USD/);
    expect(rejected.stdout).toContain(`${approval.runId} is rejected: rejected, no money moved`);
  });

  test('cancel: while it waits, again without effect, and not once it was paid', async () => {
    const charge = await stack.provider.charge(20_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '60.00' });
    const cancelled = await service('refund', 'cancel', approval.runId);
    expect([cancelled.code, cancelled.stdout]).toEqual([0, `${approval.runId} is cancelled\n`]);
    const again = await service('refund', 'cancel', approval.runId, '--json');
    expect([again.code, again.json.phase]).toEqual([0, 'cancelled']);

    const { json } = await start(charge, '20.00', '--json');
    await stack.as('service').untilPhase(json.runId, 'completed');
    const late = await service('refund', 'cancel', json.runId, '--json');
    expect([late.code, late.problem.code]).toEqual([1, 'run_not_cancellable']);
    expect((await stack.provider.refunds(charge)).map(({ amount }) => amount)).toEqual([2_000]);
  });

  test('list: newest first, page by page, all at once, filtered, and a next step where there is nothing', async () => {
    const globex = actor(stack, 'service', 'globex');
    const charge = await stack.provider.charge(20_000, 'usd', { customer: 'cus_list' });
    const nothing = await globex('refund', 'list');
    expect([nothing.code, nothing.stdout]).toEqual([0, expect.stringContaining('refund start --help')]);

    const runs: string[] = [];
    for (const amount of ['51.00', '52.00', '53.00']) {
      const { json } = await globex(
        ...['refund', 'start', '--payment', charge, '--amount', amount, '--currency', 'USD'],
        ...['--reason', 'goodwill', '--json'],
      );
      runs.unshift(json.runId);
    }
    const all = await globex('refund', 'list', '--all', '--limit', '2', '--json');
    expect(all.json).toMatchObject({ items: runs.map((runId) => ({ runId })), nextCursor: null });
    const page = await globex('refund', 'list', '--limit', '2');
    const cursor = /--cursor (\S+),/.exec(page.stdout)?.[1];
    expect(page.stdout.match(/run_[0-9a-f]+/g)).toEqual(runs.slice(0, 2));
    expect(page.stdout).toMatch(/^RUN +PHASE +AMOUNT +REQUESTED/);
    const rest = await globex('refund', 'list', '--limit', '2', '--cursor', cursor!, '--json');
    expect(rest.json).toMatchObject({ items: [{ runId: runs[2] }], nextCursor: null });

    const filtered = await globex('refund', 'list', '--customer', 'cus_other');
    expect(filtered.stdout).toContain('No refund is like that');
    const found = await globex('refund', 'list', '--customer', 'cus_list', '--phase', 'completed', '--json');
    expect(found.json.items).toEqual([]);
    const list = (...filter: string[]) => globex('refund', 'list', '--payment', charge, '--json', ...filter);
    const [last, others, wrong] = await Promise.all([
      list(
        '--requester',
        'service',
        '--from',
        '2026-01-01T00:00:00Z',
        '--currency',
        'USD',
        '--min-amount',
        '53',
      ),
      list('--to', '2026-01-01T00:00:00Z'),
      list('--max-amount', '53'),
    ]);
    expect([last, others].map((answer) => answer.json.items.map(({ runId }) => runId))).toEqual([
      [runs[0]],
      [],
    ]);
    expect([wrong.code, wrong.problem.code]).toEqual([1, 'invalid_request']);
  });

  test("R38: another tenant's run is an unknown one, to the byte but for the request's id", async () => {
    const charge = await stack.provider.charge(20_000);
    const { json } = await start(charge, '60.00', '--json');
    const globex = actor(stack, 'service', 'globex');
    const [foreign, unknown] = await Promise.all([
      globex('refund', 'show', json.runId, '--json'),
      globex('refund', 'show', 'run_0123', '--json'),
    ]);
    const { requestId: _a, ...foreignProblem } = foreign.problem;
    const { requestId: _b, ...unknownProblem } = unknown.problem;
    expect([foreign.code, unknown.code]).toEqual([1, 1]);
    expect(foreignProblem).toEqual(unknownProblem);
    expect(foreignProblem).toMatchObject({ status: 404, code: 'not_found' });
  });

  describe('bad input is refused with a stable code, and makes no run', () => {
    let charge: string;
    let before: number;
    const runs = async () => (await service('refund', 'list', '--all', '--json')).json.items.length;
    beforeAll(async () => {
      charge = await stack.provider.charge(20_000);
      before = await runs();
    });
    afterAll(async () => expect(await runs()).toBe(before));

    const card = '4242 4242 4242 4242';
    test.each<[string, Record<string, string>, string]>([
      ['an unknown payment', { payment: 'ch_unknown' }, 'payment_unknown'],
      ['something that is no payment', { payment: 'order-1' }, 'invalid_request'],
      ['another currency', { currency: 'EUR' }, 'currency_mismatch'],
      ['a currency in lower case', { currency: 'usd' }, 'currency_unknown'],
      ['zero', { amount: '0' }, 'amount_not_positive'],
      ['a negative amount', { amount: '-5.00' }, 'amount_invalid'],
      ['too many decimals', { amount: '5.001' }, 'amount_too_precise'],
      ['an exponent', { amount: '1e21' }, 'amount_invalid'],
      ['no number', { amount: 'NaN' }, 'amount_invalid'],
      ['a comma', { amount: '5,00' }, 'amount_invalid'],
      ['a unit more than remains', { amount: '200.01' }, 'exceeds_remaining'],
      ['an unknown reason', { reason: 'because' }, 'invalid_request'],
      ['a note that is too long', { note: 'x'.repeat(2_001) }, 'invalid_request'],
      ['a card number in the note', { note: `card ${card}` }, 'sensitive_text'],
      ['a key with a space', { 'idempotency-key': 'a b' }, 'invalid_request'],
    ])('R41: %s', async (_what, changed, code) => {
      const options = { payment: charge, amount: '60.00', currency: 'USD', reason: 'damaged', ...changed };
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      const refused = await service('refund', 'start', ...args, '--json');
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.problem).toMatchObject({
        type: `urn:countersign:error:${code}`,
        title: expect.any(String),
        status: 422,
        code,
        detail: expect.any(String),
      });
      expect(refused.stderr).not.toContain(card);
    });
  });

  test('R23: who may not propose is told so, and a wrong token too', async () => {
    const charge = await stack.provider.charge(20_000);
    const args = [
      'refund',
      'start',
      '--payment',
      charge,
      '--amount',
      '5.00',
      '--currency',
      'USD',
      '--reason',
      'damaged',
    ];
    const admin = await actor(stack, 'admin')(...args, '--json');
    expect([admin.code, admin.problem.code]).toEqual([1, 'forbidden']);
    const wrong = await runCli(args, { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: 'wrong' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('COUNTERSIGN_TOKEN')]);
  });
});

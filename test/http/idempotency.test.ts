import { randomUUID } from 'node:crypto';
import { query } from '../support/database';
import { TestStack } from '../support/stack';
import { expectProblem, workflowsStarted } from './doorFixture';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const service = () => stack.as('service');
const start = (key: string, body: unknown, who = service()) =>
  who.call('POST', '/v1/refunds', body, { 'idempotency-key': key });
const body = (paymentId: string, value = '149.00', more = {}) => ({
  paymentId,
  amount: { value, currency: 'USD' },
  reason: 'damaged',
  ...more,
});

async function runsOn(paymentId: string): Promise<number> {
  const [row] = await query<{ n: string }>(
    stack.database.adminUrl,
    `select count(*) as n from runs where payment_id = $1`,
    [paymentId],
  );
  return Number(row?.n);
}

describe('one key', () => {
  test('R3: the same body gives the same run, however it is written', async () => {
    const charge = await stack.provider.stripe.charges.retrieve(await stack.provider.charge(50_000));
    const key = randomUUID();
    const first = await start(key, body(charge.id, '149.00', { note: 'torn' }));
    expect(first.status).toBe(202);
    expect(first.body).toEqual({
      runId: expect.stringMatching(/^run_[0-9a-f]{32}$/),
      phase: expect.any(String),
      links: expect.objectContaining({ self: `/v1/refunds/${first.body.runId}` }),
    });
    for (const same of [
      body(charge.id, '149', { note: 'torn' }),
      body(charge.id, '149.0', { note: 'torn' }),
      body(charge.payment_intent as string, '149.00', { note: 'torn' }),
      { note: 'torn', reason: 'damaged', amount: { currency: 'USD', value: '149.00' }, paymentId: charge.id },
    ]) {
      const again = await start(key, same);
      expect([again.status, again.body.runId]).toEqual([202, first.body.runId]);
    }
    expect(await runsOn(charge.id)).toBe(1);
  });

  test('R3: taken with pi_, it is the same run with ch_', async () => {
    const charge = await stack.provider.stripe.charges.retrieve(await stack.provider.charge(50_000));
    const key = randomUUID();
    const first = await start(key, body(charge.payment_intent as string));
    const again = await start(key, body(charge.id));
    expect([again.status, again.body.runId]).toEqual([202, first.body.runId]);
  });

  test('R3: any other body is refused and names the run that has the key', async () => {
    const charge = await stack.provider.charge(50_000);
    const other = await stack.provider.charge(50_000);
    const key = randomUUID();
    const first = await start(key, body(charge));
    for (const changed of [
      body(charge, '149.01'),
      body(other),
      body(charge, '149.00', { reason: 'goodwill' }),
      body(charge, '149.00', { note: 'torn' }),
      body(charge, '149.00', { orderId: 'o-1' }),
      body(charge, '149.00', { onBehalfOf: 'reviewer1' }),
    ]) {
      const refused = await start(key, changed);
      expectProblem(refused, 409, 'idempotency_conflict');
      expect(refused.body.runId).toBe(first.body.runId);
    }
    expect([await runsOn(charge), await runsOn(other)]).toEqual([1, 0]);
  });

  test('R3: a refused body does not use the key up', async () => {
    const charge = await stack.provider.charge(20_000);
    const key = randomUUID();
    expectProblem(await start(key, { ...body(charge), extra: 1 }), 422, 'invalid_request');
    expectProblem(await start(key, body(charge, '200.01')), 422, 'exceeds_remaining');
    expectProblem(await start(key, body('ch_unknown')), 422, 'payment_unknown');
    expectProblem(await start(key, body(charge), stack.as('admin')), 403, 'forbidden');
    expect((await start(key, body(charge, '200.00'))).status).toBe(202);
  });

  test('R3: in another tenant it is another key', async () => {
    const [mine, theirs] = [await stack.provider.charge(50_000), await stack.provider.charge(50_000)];
    const key = randomUUID();
    const first = await start(key, body(mine));
    const second = await start(key, body(theirs), stack.as('service', 'globex'));
    expect([first.status, second.status]).toEqual([202, 202]);
    expect(second.body.runId).not.toBe(first.body.runId);
  });

  test('R3: twenty requests at once under one key are one run and one workflow', async () => {
    const charge = await stack.provider.charge(50_000);
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(key, body(charge))));
    expect(new Set(answers.map((a) => a.status))).toEqual(new Set([202]));
    const ids = new Set(answers.map((a) => a.body.runId as string));
    expect(ids.size).toBe(1);
    const [runId = ''] = ids;
    expect(await runsOn(charge)).toBe(1);
    expect((await workflowsStarted(stack, runId)).filter((id) => id.endsWith(runId))).toHaveLength(1);
    const [held] = await query<{ reserved: string }>(
      stack.database.adminUrl,
      `select reserved from payments where payment_id = $1`,
      [charge],
    );
    expect(Number(held?.reserved)).toBe(14_900);
  });

  test('R3: of two bodies that race under one key one wins, and everybody with the other is told so', async () => {
    const charge = await stack.provider.charge(50_000);
    const key = randomUUID();
    const values = Array.from({ length: 20 }, (_, i) => (i % 2 ? '101.00' : '102.00'));
    const answers = await Promise.all(values.map((value) => start(key, body(charge, value))));
    const winners = new Set<string | undefined>(values.filter((_, i) => answers[i]?.status === 202));
    expect(winners.size).toBe(1);
    for (const [i, answer] of answers.entries()) {
      if (!winners.has(values[i])) expectProblem(answer, 409, 'idempotency_conflict');
    }
    expect(await runsOn(charge)).toBe(1);
  });

  test('R3: the same run is answered after Temporal has forgotten it, and nothing is paid again', async () => {
    const charge = await stack.provider.charge(50_000);
    const key = randomUUID();
    const first = await start(key, body(charge, '10.00'));
    const { runId } = first.body as { runId: string };
    await service().untilPhase(runId, 'completed');
    const { workflowService } = stack.temporal.connection;
    const workflowExecution = { workflowId: `refund/acme/${runId}` };
    const { namespace } = stack.temporal;
    await workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    const again = await start(key, body(charge, '10.00'));
    expect([again.status, again.body]).toEqual([202, { ...first.body, phase: 'completed' }]);
    expect(await stack.provider.refunds(charge)).toHaveLength(1);
  });

  test('R3: while the provider is away nobody is told that his pi_ is another body than his ch_', async () => {
    const charge = await stack.provider.stripe.charges.retrieve(await stack.provider.charge(50_000));
    const key = randomUUID();
    const first = await start(key, body(charge.id));
    await stack.provider.admin('POST', 'faults', {
      kind: 'cut_before',
      times: null,
      match: { method: 'GET' },
    });
    const again = await start(key, body(charge.id));
    const renamed = await start(key, body(charge.payment_intent as string));
    await stack.provider.admin('DELETE', 'faults');
    expect([again.status, again.body.runId]).toEqual([202, first.body.runId]);
    expectProblem(renamed, 503, 'dependency_unavailable');
    expect((await start(key, body(charge.payment_intent as string))).body.runId).toBe(first.body.runId);
  });
});

describe('the key itself', () => {
  test('R3: is required, and refused before the body is looked at', async () => {
    for (const key of [undefined, '', '   ']) {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
      const refused = await service().call('POST', '/v1/refunds', 'not JSON', headers);
      expectProblem(refused, 400, 'idempotency_key_required');
    }
  });

  test('R41: is at most 255 visible characters', async () => {
    const charge = await stack.provider.charge(50_000);
    for (const key of ['k'.repeat(256), 'two words', 'kéy']) {
      expectProblem(await start(key, body(charge)), 422, 'invalid_request');
    }
    expect((await start('k'.repeat(255), body(charge))).status).toBe(202);
  });
});

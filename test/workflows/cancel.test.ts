import { TestStack } from '../support/stack';
import { query } from '../support/database';
import { until } from '../support/processes';
import { auditOf, balanceOf, paidOut, refundCalls } from './evidence';

describe('cancelling', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  const opened = (more = {}) => stack.opened('120.00', 20_000, more);
  type Person = Parameters<TestStack['as']>[0];
  const cancel = (person: Person, runId: string) =>
    stack.as(person).call('POST', `/v1/refunds/${runId}/cancel`);

  test.each<Person>(['service', 'admin', 'lead'])(
    'R31: a cancel by its requester, the human behind it or an administrator (%s) moves nothing and frees the balance; again is 200',
    async (person) => {
      const { charge, approval } = await opened({ onBehalfOf: 'lead' });
      const first = await cancel(person, approval.runId);
      expect([first.status, first.body.phase]).toEqual([200, 'cancelled']);
      const again = await cancel(person, approval.runId);
      expect([again.status, again.body.phase]).toEqual([200, 'cancelled']);
      expect(await refundCalls(stack, charge)).toEqual([]);
      expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
      expect(await stack.as('service').approval(approval.id)).toMatchObject({ status: 'cancelled' });
      const end = (await auditOf(stack, approval.runId)).at(-1);
      expect([end?.event, end?.actor]).toEqual(['cancelled', person]);
      const late = await stack.as('reviewer1').decide(approval, 'approve');
      expect([late.status, late.body.code]).toEqual([409, 'already_decided']);
    },
  );

  test('R23: a service that cancels says for whom, which the timeline shows and the audit log does not hold', async () => {
    const { approval } = await opened();
    const path = `/v1/refunds/${approval.runId}/cancel`;
    const nobody = await stack.as('service').call('POST', path, { onBehalfOf: 'agent' });
    expect([nobody.status, nobody.body.issues]).toEqual([
      422,
      [expect.objectContaining({ path: 'onBehalfOf' })],
    ]);
    const card = await stack.as('service').call('POST', path, { onBehalfOf: '4111111111111111' });
    expect([card.status, card.body.code]).toEqual([422, 'sensitive_text']);
    const done = await stack.as('service').call('POST', path, { onBehalfOf: 'Maya' });
    expect([done.status, done.body.phase]).toEqual([200, 'cancelled']);
    const asked = (await stack.as('service').timeline(approval.runId)).filter(
      ({ event }) => event === 'cancel_requested',
    );
    expect(asked).toMatchObject([{ actor: 'service', onBehalfOf: 'maya' }]);
    expect(JSON.stringify(await auditOf(stack, approval.runId))).not.toMatch(/maya/i);
  });

  test('R29: a cancel that only a message claims, by signal or update, changes nothing and is on record as refused', async () => {
    const { charge, approval } = await opened();
    const run = stack.temporal.handle('acme', approval.runId);
    await run.signal('cancelRequested', { actor: 'admin' });
    const forged = await run.executeUpdate<{ accepted: boolean; code?: string }, [{ actor: string }]>(
      'cancel',
      {
        args: [{ actor: 'service' }],
      },
    );
    expect(forged).toMatchObject({ accepted: false, code: 'forbidden' });
    const refusals = (await auditOf(stack, approval.runId)).filter(({ event }) => event === 'cancel_refused');
    expect(refusals.map(({ after }) => after)).toEqual([{ claimed: 'admin' }, { claimed: 'service' }]);
    expect(await stack.as('service').approval(approval.id)).toMatchObject({ status: 'open' });
    // And the one who may still can.
    expect((await cancel('admin', approval.runId)).body.phase).toBe('cancelled');
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R38: others may not cancel, and a foreign tenant sees no such run', async () => {
    const { approval } = await opened();
    for (const person of ['agent', 'reviewer1', 'lead'] as const) {
      const refused = await cancel(person, approval.runId);
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    }
    const path = `/v1/refunds/${approval.runId}/cancel`;
    const foreign = await stack.as('admin', 'globex').call('POST', path);
    const unknown = await stack.as('admin', 'globex').call('POST', '/v1/refunds/run_0/cancel');
    expect([foreign.status, foreign.body.code]).toEqual([404, 'not_found']);
    expect(unknown.body.code).toBe(foreign.body.code);
    expect((await stack.as('service').refund(approval.runId)).phase).toBe('waiting_approval');
  });

  test('R55: cancels that come at once while the kill switch holds the refund are one cancel, and none is told otherwise', async () => {
    const { charge, approval } = await opened();
    const brake = (engaged: boolean) =>
      stack.as('admin').call('POST', '/v1/brake', { engaged, reason: 'several at once' });
    await brake(true);
    try {
      await stack.as('reviewer1').decide(approval, 'approve');
      await stack.as('service').untilPhase(approval.runId, 'executing');
      const people = ['service', 'admin', 'service', 'admin', 'service'] as const;
      const answers = await Promise.all(people.map((person) => cancel(person, approval.runId)));
      for (const { status } of answers) expect([200, 202]).toContain(status);
      await stack.as('service').untilPhase(approval.runId, 'cancelled');
      expect((await cancel('service', approval.runId)).status).toBe(200);
    } finally {
      await brake(false);
    }
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R31: after execution a cancel is refused and the refund stands', async () => {
    const { charge, approval } = await opened();
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const late = await cancel('service', approval.runId);
    expect([late.status, late.body.code]).toEqual([409, 'run_not_cancellable']);
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R31: while the provider is called a cancel is refused, and the refund is paid once', async () => {
    const { charge, approval } = await opened();
    await stack.provider.admin('POST', 'faults', {
      kind: 'latency',
      match: { method: 'POST', path: '/v1/refunds', payment: charge },
      ms: 1_500,
    });
    await stack.as('reviewer1').decide(approval, 'approve');
    await until(async () => {
      const rows = await query(stack.database.adminUrl, 'select key from effects where run_id = $1', [
        approval.runId,
      ]);
      return rows.length === 1;
    });
    const refused = await cancel('admin', approval.runId);
    expect([refused.status, refused.body.code]).toEqual([409, 'run_not_cancellable']);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
  });

  test('R31: a cancel and an approval at the same moment end in exactly one of the two', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => opened()));
    for (const { charge, approval } of runs) {
      const [cancelled, approved] = await Promise.all([
        cancel('service', approval.runId),
        stack.as('reviewer1').decide(approval, 'approve'),
      ]);
      await until(async () => (await stack.as('service').refund(approval.runId)).result !== null);
      const { phase } = await stack.as('service').refund(approval.runId);
      const paid = await paidOut(stack, charge);
      if (phase === 'cancelled') {
        expect([cancelled.status, paid]).toEqual([200, []]);
      } else {
        expect([phase, cancelled.status, approved.status, paid]).toEqual([
          'completed',
          409,
          200,
          [[12_000, 'succeeded']],
        ]);
      }
      expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0 });
    }
  });
});

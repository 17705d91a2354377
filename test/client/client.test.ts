import { randomUUID } from 'node:crypto';
import { Countersign } from '../../src/client';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { TestStack } from '../support/stack';
import { clientOf, refused, refundOf } from './clients';
import { FrontDoor } from './frontDoor';

describe('the client of a service', () => {
  let stack: TestStack;
  let door: FrontDoor;
  let service: Countersign;
  let reviewer: Countersign;
  beforeAll(async () => {
    stack = await TestStack.start();
    door = await FrontDoor.before(stack.apiUrl);
    service = clientOf(door, 'service');
    reviewer = clientOf(door, 'reviewer1');
  });
  afterAll(async () => {
    await door.close();
    await stack.stop();
  });

  test('five lines: a refund is started, decided by a person, and waited for', async () => {
    const charge = await stack.provider.charge(20_000);
    const refund = await service.refunds.start(refundOf(charge, '120.00'), { idempotencyKey: randomUUID() });
    const decided = service.refunds.waitUntilDecided(refund.runId);
    const finished = service.refunds.waitUntilFinished(refund.runId);

    await stack.as('service').untilPhase(refund.runId, 'waiting_approval');
    const { items } = await reviewer.approvals.list({ status: 'open', minAge: '0s' });
    const approval = items.find(({ runId }) => runId === refund.runId)!;
    expect(approval.arguments).toMatchObject({ amount: { value: '120.00', currency: 'USD' } });
    const outcome = await reviewer.approvals.approve(approval.id, { proposalHash: approval.proposalHash });
    expect(outcome).toMatchObject({ status: 'applied', approval: { status: 'approved' } });

    expect((await decided).approval?.status).toBe('approved');
    const done = await finished;
    expect(done).toMatchObject({ phase: 'completed', executed: { amount: { value: '120.00' } } });
    expect((await stack.provider.refunds(charge)).map(({ id, amount }) => [id, amount])).toEqual([
      [done.result?.refundId, 12_000],
    ]);
    // What has ended already is not waited for.
    expect((await service.refunds.waitUntilFinished(refund.runId)).phase).toBe('completed');
  });

  test('edit, reject, sign and cancel', async () => {
    const charge = await stack.provider.charge(20_000);
    const edited = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    const { proposalHash } = edited;
    const signed = await reviewer.approvals.sign(edited.id, { decision: 'approve', proposalHash });
    expect(signed).toEqual({
      jws: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      workflowId: `refund/acme/${edited.runId}`,
      signal: 'approval',
    });
    const lower = { amount: { value: '60.00', currency: 'USD' } };
    await reviewer.approvals.edit(edited.id, { proposalHash, arguments: lower });
    expect((await service.refunds.waitUntilFinished(edited.runId)).executed?.amount.value).toBe('60.00');

    const unwanted = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    await reviewer.approvals.reject(unwanted.id, { proposalHash: unwanted.proposalHash });
    expect((await service.refunds.waitUntilFinished(unwanted.runId)).phase).toBe('rejected');
    const late = await refused(
      reviewer.approvals.approve(unwanted.id, { proposalHash: unwanted.proposalHash }),
    );
    expect([late.code, late.status, late.details]).toEqual([
      'already_decided',
      409,
      expect.objectContaining({ decidedBy: 'reviewer1', requestId: expect.any(String) }),
    ]);

    const chosen = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    const items = [chosen, { id: 'apr_none', proposalHash }].map((one) => ({
      approvalId: one.id,
      proposalHash: one.proposalHash,
    }));
    expect(await reviewer.approvals.decideMany({ decision: 'reject', items })).toMatchObject([
      { status: 'applied', approval: { id: chosen.id, status: 'rejected' } },
      { status: 'refused', problem: { code: 'not_found', status: 404 } },
    ]);

    const cancelled = await stack.as('service').openApproval({ paymentId: charge, amount: '70.00' });
    expect(await service.refunds.cancel(cancelled.runId)).toMatchObject({
      status: 'cancelled',
      refund: { phase: 'cancelled' },
    });
  });

  test('refusals are thrown with the code of the API and what it says field by field', async () => {
    const charge = await stack.provider.charge(20_000);
    const start = (value: string) =>
      service.refunds.start(refundOf(charge, value), { idempotencyKey: randomUUID() });
    expect((await refused(start('0'))).code).toBe('amount_not_positive');
    expect(await refused(start('200.01'))).toMatchObject({
      code: 'exceeds_remaining',
      details: { requested: 20_001, remaining: 20_000, currency: 'USD' },
    });
    expect((await refused(service.refunds.show('run_none'))).code).toBe('not_found');
    expect((await refused(service.refunds.list({ limit: 0 }))).details).toMatchObject({
      issues: [{ path: 'limit' }],
    });
    const nobody = new Countersign({ baseUrl: door.url, token: 'nobody' });
    expect((await refused(nobody.refunds.list())).code).toBe('unauthenticated');
  });

  test('ids are data: a strange one is no other address', async () => {
    door.next();
    expect((await refused(service.refunds.show('../approvals?status=open#'))).code).toBe('not_found');
    expect(door.seen.map(({ path }) => path)).toEqual(['/v1/refunds/..%2Fapprovals%3Fstatus%3Dopen%23']);
  });

  test('lists are read page after page, each when it is needed', async () => {
    const charge = await stack.provider.charge(20_000, 'usd', { customer: 'cus_pages' });
    const runs: string[] = [];
    for (const value of ['1.00', '2.00', '3.00']) {
      const { runId } = await service.refunds.start(refundOf(charge, value), {
        idempotencyKey: randomUUID(),
      });
      runs.unshift(runId);
    }
    const found: string[] = [];
    door.next();
    for await (const { runId } of service.refunds.all({ customer: 'cus_pages', limit: 2 })) {
      found.push(runId);
      expect(door.seen).toHaveLength(found.length <= 2 ? 1 : 2);
    }
    expect(found).toEqual(runs);
  });

  describe('what gets no answer is sent again', () => {
    test('R3: an answer that was lost after the API acted is the same run, under the same key', async () => {
      const charge = await stack.provider.charge(20_000);
      const idempotencyKey = randomUUID();
      door.next({ kind: 'answer_lost' }, { kind: 'answer_lost' });
      const { runId } = await service.refunds.start(refundOf(charge, '20.00'), { idempotencyKey });
      expect(door.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(
        Array(3).fill(idempotencyKey),
      );
      await service.refunds.waitUntilFinished(runId);
      expect((await stack.provider.refunds(charge)).map(({ amount }) => amount)).toEqual([2_000]);
    });

    test('R25: a decision whose answer was lost is one vote, and answers as the first time', async () => {
      const charge = await stack.provider.charge(100_000);
      const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '600.00' });
      door.next({ kind: 'answer_lost' });
      const outcome = await reviewer.approvals.approve(approval.id, { proposalHash: approval.proposalHash });
      expect(door.seen).toHaveLength(2);
      expect(outcome).toMatchObject({ status: 'applied', approval: { votes: [{ actor: 'reviewer1' }] } });
    });

    test.each([429, 502, 503, 504])('R14: HTTP %d without a code that says otherwise', async (status) => {
      door.next({ kind: 'answered', status, body: 'somebody in between' });
      await service.health();
      expect(door.seen).toHaveLength(2);
    });

    test('R14: what is final is not: a refusal, or a 502 by which the provider refused', async () => {
      door.next({ kind: 'answered', status: 502, body: { code: 'provider_refused', detail: 'no' } });
      expect(await refused(service.health())).toMatchObject({ code: 'provider_refused', detail: 'no' });
      expect(door.seen).toHaveLength(1);
      door.next({ kind: 'answered', status: 409, body: 'a proxy' });
      expect((await refused(service.health())).code).toBe('version_conflict');
      expect(door.seen).toHaveLength(1);
    });

    test('a bounded number of times, then the last error is thrown', async () => {
      const impatient = clientOf(door, 'service', { retry: { retries: 2, firstDelayMs: 1 } });
      const busy = { kind: 'answered', status: 503, body: { code: 'dependency_unavailable' } } as const;
      door.next(busy, busy, busy);
      expect((await refused(impatient.health())).code).toBe('dependency_unavailable');
      expect(door.seen).toHaveLength(3);

      const baseUrl = `http://127.0.0.1:${await claimPort()}`;
      const nobody = new Countersign({ baseUrl, retry: { retries: 1, firstDelayMs: 1 } });
      expect(await refused(nobody.health())).toMatchObject({
        code: 'dependency_unavailable',
        detail: `${baseUrl} does not answer (ECONNREFUSED)`,
      });
    });

    test('whoever calls can end it, also while it waits', async () => {
      const patient = clientOf(door, 'service', {
        retry: { retries: 5, firstDelayMs: 60_000, longestDelayMs: 60_000 },
      });
      const giveUp = new AbortController();
      door.next({ kind: 'answered', status: 503, headers: { 'retry-after': '60' } });
      const call = patient.health({ signal: giveUp.signal });
      const reason = new Error('the customer hung up');
      giveUp.abort(reason);
      await expect(call).rejects.toBe(reason);
    });
  });
});

import { Database } from '../../src/adapters/postgres/database';
import { signDecision } from '../../src/adapters/signatures/decisionJws';
import { TemporalEngine } from '../../src/adapters/temporal/engine';
import { decideMany } from '../../src/application/decideMany';
import type { ApprovalView } from '../../src/application/views';
import type { ManyDecisionsBody } from '../../src/domain/approval/manyDecisions';
import { apiParts } from '../../src/main/apiParts';
import { parseSigningKey } from '../../src/main/signingKey';
import { query } from '../support/database';
import { until } from '../support/processes';
import { fromSetup, signingKey, testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { balanceOf, eventsOf, historyOf, paidOut, refundCalls } from './evidence';

describe('while no worker runs', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start({ workers: 0 });
  });
  afterAll(() => stack.stop());
  beforeEach(async () => {
    await stack.startWorker();
  });
  afterEach(() => stack.killWorkers());

  const opened = (amount: string) => stack.opened(amount);

  test('R26: what is decided, alone or with many, is on record, and applied when a worker comes back', async () => {
    const all = await Promise.all(['120.00', '60.00', '70.00', '80.00', '90.00'].map(opened));
    await stack.killWorkers();
    const [single, ...together] = all.map(({ approval }) => approval) as [ApprovalView, ...ApprovalView[]];
    const items = together.map(({ id, proposalHash }) => ({ approvalId: id, proposalHash }));
    const recorded = { status: 'recorded', decisionId: expect.stringMatching(/^dec_/) };
    // Past the bound nothing is begun, and what waits no more is on record all the same, for the re-delivery.
    const late = items.slice(0, 1);
    expect(await decideManyWithin({ waitMs: 0, beginMs: 0 }, late)).toMatchObject([
      { status: 'refused', error: { code: 'dependency_unavailable' } },
    ]);
    expect(await eventsOf(stack, together[0]?.runId ?? '')).not.toContain('decision_received');
    expect(await decideManyWithin({ waitMs: 0, beginMs: 60_000 }, late)).toMatchObject([recorded]);

    const reviewer = stack.as('reviewer1');
    const [decided, many] = await Promise.all([
      reviewer.decide(single, 'approve'),
      reviewer.call('POST', '/v1/approvals/decisions', { decision: 'approve', items: items.slice(1) }),
    ]);
    expect([decided.status, decided.body]).toEqual([202, recorded]);
    const outcomes = items.slice(1).map(({ approvalId }) => ({ approvalId, ...recorded }));
    expect([many.status, many.body.items]).toEqual([200, outcomes]);
    for (const { charge, approval } of all) {
      expect(await eventsOf(stack, approval.runId)).toContain('decision_received');
      expect(await refundCalls(stack, charge)).toEqual([]);
    }
    await stack.startWorker();
    for (const { charge, approval } of all) {
      await stack.as('service').untilPhase(approval.runId, 'completed');
      expect(await paidOut(stack, charge)).toHaveLength(1);
    }
  });

  /** In this process, with other bounds than those of an API. */
  async function decideManyWithin(
    bounds: { waitMs: number; beginMs: number },
    items: ManyDecisionsBody['items'],
  ) {
    const database = new Database(stack.database.url, 2);
    const address = fromSetup('TEMPORAL_ADDRESS');
    const engine = TemporalEngine.lazily({ address, namespace: stack.temporal.namespace }, undefined);
    const parts = apiParts({ database, engine, stripe: { apiKey: 'none', account: 'none' } });
    const principal = await parts.authenticator.authenticate(testTokens.acme.reviewer1);
    if (!principal) throw new Error('reviewer1 has no key');
    const unexpected = (error: unknown) => {
      throw error;
    };
    const body = { decision: 'approve' as const, items };
    const outcomes = await decideMany(parts, principal, body, 'api', unexpected, bounds);
    await Promise.all([engine.close(), database.close()]);
    return outcomes;
  }

  test('R26: a decision sent while the worker starts is applied once, whichever way it is answered', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.killWorkers();
    const [decided] = await Promise.all([
      stack.as('reviewer1').decide(approval, 'approve'),
      stack.startWorker(),
    ]);
    expect([200, 202]).toContain(decided.status);
    await stack.as('service').untilPhase(approval.runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    const finals = (await eventsOf(stack, approval.runId)).filter((event) => event === 'decision_approve');
    expect(finals).toHaveLength(1);
  });

  test('R25: of conflicting decisions recorded meanwhile the first received wins, and the other is told', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.killWorkers();
    const rejected = await stack.as('reviewer1').decide(approval, 'reject', { decisionId: 'first' });
    const approved = await stack.as('reviewer2').decide(approval, 'approve', { decisionId: 'second' });
    expect([rejected.status, approved.status]).toEqual([202, 202]);
    await stack.startWorker();
    await stack.as('service').untilPhase(approval.runId, 'rejected');
    const late = await stack.as('reviewer2').decide(approval, 'approve', { decisionId: 'second' });
    expect(late.status).toBe(409);
    expect(late.body).toMatchObject({ code: 'already_decided', decidedBy: 'reviewer1' });
    expect(await refundCalls(stack, charge)).toEqual([]);
  });

  test('R32: cancelling is recorded with 202, and done when a worker comes back', async () => {
    const { charge, approval } = await opened('120.00');
    await stack.killWorkers();
    const cancelled = await stack.as('service').call('POST', `/v1/refunds/${approval.runId}/cancel`);
    expect(cancelled.status).toBe(202);
    await stack.startWorker();
    await stack.as('service').untilPhase(approval.runId, 'cancelled');
    expect(await refundCalls(stack, charge)).toEqual([]);
    expect(await balanceOf(stack, charge)).toMatchObject({ reserved: 0, refunded: 0 });
  });
});

describe('the deadline passes while no worker runs', () => {
  // Short, because the receipt times of decisions are real ones.
  const expiryMs = 10_000;
  let stack: TestStack;
  let recorded: Opened;
  let signedInTime: Opened;
  let signedLate: Opened;

  type Opened = Awaited<ReturnType<TestStack['opened']>>;
  const opened = () => stack.opened();

  async function sendSigned({ approval }: Opened, receivedAt: number): Promise<void> {
    const envelope = {
      tenant: 'acme',
      runId: approval.runId,
      approvalId: approval.id,
      decisionId: 'signed',
      decision: 'approve' as const,
      proposalHash: approval.proposalHash,
      actor: 'reviewer1',
      receivedAt,
    };
    const jws = await signDecision(envelope, await parseSigningKey(signingKey));
    await stack.temporal.handle('acme', approval.runId).signal('approval', { jws });
  }

  /** The deadline has passed and Temporal has fired the timer, which nobody has handled. */
  async function timerFired(one: Opened): Promise<void> {
    await inHistory(one, 'timerFired');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(one.approval.deadline));
  }

  async function inHistory({ approval }: Opened, event: 'timerStarted' | 'timerFired'): Promise<void> {
    await until(async () =>
      (await historyOf(stack, approval.runId)).some((e) => e[`${event}EventAttributes`]),
    );
  }

  beforeAll(async () => {
    stack = await TestStack.start();
    await query(
      stack.database.ownerUrl,
      `insert into policies (tenant, version, document)
       select tenant, 'short', document - 'escalation'
         || jsonb_build_object('expiryHours', $1::float8 / 3600000, 'remindersHours', '[]'::jsonb)
       from policies where tenant = 'acme'`,
      [expiryMs],
    );
    [recorded, signedInTime, signedLate] = await Promise.all([opened(), opened(), opened()]);
    // The inbox has the approval before Temporal has the timer; killed in between, nothing would fire.
    await Promise.all([recorded, signedInTime, signedLate].map((one) => inHistory(one, 'timerStarted')));
    await stack.killWorkers();
  });
  afterAll(() => stack.stop());

  test('R25: received in time counts, recorded or signed, although it is handled later; at the deadline is late', async () => {
    const decided = await stack.as('reviewer1').decide(recorded.approval, 'approve');
    expect(decided.status).toBe(202);
    await Promise.all([recorded, signedInTime, signedLate].map(timerFired));

    const atTheDoor = await stack.as('reviewer1').decide(signedLate.approval, 'approve');
    expect([atTheDoor.status, atTheDoor.body.code]).toEqual([409, 'approval_expired']);
    await sendSigned(signedInTime, Date.parse(signedInTime.approval.deadline) - 1);
    await sendSigned(signedLate, Date.parse(signedLate.approval.deadline));

    await stack.startWorker();
    for (const { charge, approval } of [recorded, signedInTime]) {
      await stack.as('service').untilPhase(approval.runId, 'completed');
      expect(await paidOut(stack, charge)).toEqual([[12_000, 'succeeded']]);
    }
    await stack.as('service').untilPhase(signedLate.approval.runId, 'expired');
    expect(await refundCalls(stack, signedLate.charge)).toEqual([]);
    expect(await balanceOf(stack, signedLate.charge)).toMatchObject({ reserved: 0 });
    expect(await eventsOf(stack, signedLate.approval.runId)).toEqual(
      expect.arrayContaining(['decision_refused', 'expired']),
    );
  });
});

import { randomUUID } from 'node:crypto';
import { approvalIdOf } from '../support/api';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { ApprovalView } from '../../src/application/views';
import { EmbeddedUp } from './embedded';
import { Holds } from './holds';
import { outcomeOf, paidOnce, refundOf } from './outcome';

const captured = 20_000;

describe('kill -9 of the Temporal server and of the API', () => {
  let up: EmbeddedUp;
  let holds: Holds;
  beforeAll(async () => {
    up = await EmbeddedUp.start();
    holds = await Holds.open(up.ownerUrl);
  }, 90_000);
  afterAll(async () => {
    await holds.close();
    await up.stop();
  });

  interface Subject {
    readonly stage: string;
    readonly charge: string;
    readonly runId: string;
  }

  async function started(stage: string): Promise<Subject> {
    const charge = await up
      .stripe()
      .charges.create({ amount: captured, currency: 'usd', source: 'tok_visa' });
    const answer = await up
      .as('service')
      .startRefund({ paymentId: charge.id, amount: refundOf.amount, key: randomUUID() });
    return { stage, charge: charge.id, runId: answer.body.runId };
  }

  async function asked(stage: string): Promise<Subject & { approval: ApprovalView }> {
    const subject = await started(stage);
    await up.as('service').untilPhase(subject.runId, 'waiting_approval');
    return { ...subject, approval: await up.as('service').approval(approvalIdOf(subject.runId)) };
  }

  /** What is on record and owed although the API died before it could deliver or answer. */
  const received = async (runId: string) =>
    query<{ status: string }>(up.ownerUrl, 'select status from decisions where run_id = $1', [runId]);

  async function outcomes(subjects: Subject[]): Promise<unknown> {
    const provider = {
      refunds: async (charge: string) => (await up.stripe().refunds.list({ charge, limit: 100 })).data,
    };
    const stack = { database: { adminUrl: up.ownerUrl }, provider } as unknown as Parameters<
      typeof outcomeOf
    >[0];
    const found = await Promise.all(
      subjects.map(async ({ stage, charge, runId }) => [stage, await outcomeOf(stack, charge, runId)]),
    );
    return Object.fromEntries(found) as unknown;
  }
  const allPaidOnce = (subjects: Subject[]) =>
    Object.fromEntries(subjects.map(({ stage, runId }) => [stage, paidOnce(captured, runId)]));

  async function completed({ runId }: Subject): Promise<void> {
    await up.as('service').untilPhase(runId, 'completed', 60_000);
    await until(async () => (await up.workflowStatus(runId)) === 'COMPLETED');
  }

  test('R32: Temporal dies while it starts a run, while people are asked, in a step, and in the provider call: one refund each', async () => {
    const inAStep = ['decision_approve', 'authorized', 'refund_succeeded', 'completed'];
    const [waiting, calling, ...stepping] = await Promise.all(
      ['while people are asked', 'in the provider call', ...inAStep].map(asked),
    );
    if (!waiting || !calling) throw new RangeError('two at least');
    for (const { runId, stage } of stepping) await holds.at(runId, stage);
    const slow = (await up.admin('POST', 'faults', {
      kind: 'latency',
      ms: 2_500,
      match: { method: 'POST', path: '/v1/refunds', payment: calling.charge },
    })) as { id: number };
    const approve = ({ approval }: { approval: ApprovalView }) =>
      up.as('reviewer1').decide(approval, 'approve');
    const approving = Promise.all([calling, ...stepping].map(approve));
    await until(async () => {
      const held = await holds.held();
      const { items } = (await up.admin('GET', 'faults')) as { items: { id: number; hits: number }[] };
      return (
        stepping.every(({ runId }) => held.includes(runId)) &&
        items.some((row) => row.id === slow.id && row.hits === 1)
      );
    });
    const killing = up.kill('temporal');
    await holds.releaseAll();
    // Temporal is away or just coming back: both are taken, and owed until it has them.
    const young = await started('while it was away');
    const meanwhile = await approve(waiting);
    expect([200, 202]).toContain(meanwhile.status);
    await killing;
    for (const answer of await approving) expect([200, 202]).toContain(answer.status);

    await up.as('service').untilPhase(young.runId, 'waiting_approval', 60_000);
    const youngApproval = await up.as('service').approval(approvalIdOf(young.runId));
    expect([200, 202]).toContain((await approve({ approval: youngApproval })).status);
    const all = [waiting, calling, ...stepping, young];
    await Promise.all(all.map(completed));
    expect(await outcomes(all)).toEqual(allPaidOnce(all));
  }, 120_000);

  test('R32: the API dies after it recorded a decision and before it delivered it: the decision is applied once', async () => {
    const subject = await asked('recorded, not delivered');
    // While Temporal is stopped nothing can be delivered, so the API is killed surely in between.
    const { temporal } = up.report.pids;
    if (temporal === null) throw new Error('Temporal runs elsewhere');
    process.kill(temporal, 'SIGSTOP');
    const lost = up
      .as('reviewer1')
      .decide(subject.approval, 'approve')
      .then(
        () => 'answered',
        () => 'no answer',
      );
    let replaced: Promise<void> | undefined;
    try {
      await until(async () => (await received(subject.runId)).length === 1);
      replaced = up.kill('api');
    } finally {
      process.kill(temporal, 'SIGCONT');
    }
    await replaced;
    expect(await lost).toBe('no answer');
    await completed(subject);
    const again = await up.as('reviewer1').decide(subject.approval, 'approve');
    expect([again.status, again.body.status]).toEqual([200, 'approved']);
    expect(await outcomes([subject])).toEqual(allPaidOnce([subject]));
  }, 90_000);

  test('R32: the API dies while it takes a refund in: the caller’s retry is the same run, held and paid once', async () => {
    const charge = await up
      .stripe()
      .charges.create({ amount: captured, currency: 'usd', source: 'tok_visa' });
    const key = randomUUID();
    const ask = () => up.as('service').startRefund({ paymentId: charge.id, amount: refundOf.amount, key });
    const { temporal } = up.report.pids;
    if (temporal === null) throw new Error('Temporal runs elsewhere');
    process.kill(temporal, 'SIGSTOP');
    const lost = ask().then(
      () => 'answered',
      () => 'no answer',
    );
    let replaced: Promise<void> | undefined;
    try {
      await until(async () => {
        const rows = await query(
          up.ownerUrl,
          'select run_id from refund_requests where idempotency_key = $1',
          [key],
        );
        return rows.length === 1;
      });
      replaced = up.kill('api');
    } finally {
      process.kill(temporal, 'SIGCONT');
    }
    await replaced;
    expect(await lost).toBe('no answer');
    const again = await ask();
    expect(again.status).toBe(202);
    const runId: string = again.body.runId;
    await up.as('service').untilPhase(runId, 'waiting_approval');
    const approval = await up.as('service').approval(approvalIdOf(runId));
    await up.as('reviewer1').decide(approval, 'approve');
    const subject = { stage: 'taken in', charge: charge.id, runId };
    await completed(subject);
    expect(await outcomes([subject])).toEqual(allPaidOnce([subject]));
  }, 90_000);

  test('R26: a decision acknowledged while Temporal was down counts at the deadline, although it was not delivered before', async () => {
    await query(
      up.ownerUrl,
      `insert into policies (tenant, version, document)
       select tenant, 'short', document - 'escalation'
         || jsonb_build_object('expiryHours', 15.0 / 3600, 'remindersHours', '[]'::jsonb)
       from policies where tenant = 'acme'`,
    );
    const subject = await asked('owed at the deadline');
    const { temporal, api } = up.report.pids;
    if (temporal === null || api === null) throw new Error('both run here');
    process.kill(temporal, 'SIGSTOP');
    const acknowledged = await up.as('reviewer1').decide(subject.approval, 'approve');
    expect(acknowledged.status).toBe(202);
    // Nobody delivers until the deadline has passed and a worker has seen it pass.
    process.kill(api, 'SIGSTOP');
    try {
      await until(async () => Date.now() > Date.parse(subject.approval.deadline));
      await up.kill('temporal');
      await until(async () => (await up.workflowStatus(subject.runId)) === 'COMPLETED', 60_000);
    } finally {
      process.kill(api, 'SIGCONT');
    }
    expect(await outcomes([subject])).toEqual(allPaidOnce([subject]));
  }, 120_000);
});

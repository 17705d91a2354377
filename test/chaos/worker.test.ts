import { randomUUID } from 'node:crypto';
import { approvalIdOf } from '../support/api';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { historyOf, refundCalls } from '../workflows/evidence';
import { Holds } from './holds';
import { outcomeOf, paidOnce, refundOf } from './outcome';

const captured = 20_000;

interface Subject {
  readonly stage: string;
  readonly charge: string;
  readonly runId: string;
}

describe('kill -9 of the worker', () => {
  let stack: TestStack;
  let holds: Holds;
  beforeAll(async () => {
    stack = await TestStack.start();
    holds = await Holds.open(stack.database.ownerUrl);
  });
  afterAll(async () => {
    await holds.close();
    await stack.stop();
  });

  async function started(stage: string): Promise<Subject> {
    const charge = await stack.provider.charge(captured);
    const answer = await stack
      .as('service')
      .startRefund({ paymentId: charge, amount: refundOf.amount, key: randomUUID() });
    return { stage, charge, runId: answer.body.runId };
  }

  const decided = new Set<string>();
  /** Approves once the run asks, and is content with 202: the decision is then owed to the run. */
  async function approve(runId: string): Promise<void> {
    if (decided.has(runId)) return;
    decided.add(runId);
    const approval = await stack.as('service').approval(approvalIdOf(runId));
    const answer = await stack.as('reviewer1').decide(approval, 'approve');
    if (![200, 202].includes(answer.status)) throw new Error(`${answer.status} ${answer.text}`);
  }

  async function phaseOf(runId: string): Promise<string> {
    return (await stack.as('service').refund(runId)).phase;
  }

  async function completed({ runId }: Subject): Promise<void> {
    await until(async () => {
      const phase = await phaseOf(runId);
      if (phase === 'waiting_approval') await approve(runId);
      return phase === 'completed';
    }, 60_000);
    await until(async () => {
      const { status } = await stack.temporal.handle('acme', runId).describe();
      return status.name === 'COMPLETED';
    });
  }

  /** What is wrong with each run, in the words of its stage; nothing, where all is well. */
  async function outcomes(subjects: Subject[]): Promise<Record<string, unknown>> {
    const found = await Promise.all(
      subjects.map(async ({ stage, charge, runId }) => [stage, await outcomeOf(stack, charge, runId)]),
    );
    return Object.fromEntries(found) as Record<string, unknown>;
  }
  const allPaidOnce = (subjects: Subject[]) =>
    Object.fromEntries(subjects.map(({ stage, runId }) => [stage, paidOnce(captured, runId)]));

  const early = ['policy_evaluated', 'approval_opened'];
  const late = [
    'decision_approve',
    'authorized',
    'refund_sent',
    'refund_outcome_unknown',
    'refund_succeeded',
    'notified',
    'remember',
    'completed',
  ];
  const inTheCall = 'while the provider works';
  const waiting = 'while people are asked';

  test('R32: at every step of the story, inside its transaction and while the provider works: one refund each, no decision lost', async () => {
    const subjects = await Promise.all([...late, inTheCall, waiting].map(started));
    for (const { runId } of subjects) await stack.as('service').untilPhase(runId, 'waiting_approval');
    const fault = (subject: Subject, body: Record<string, unknown>) =>
      stack.provider.admin('POST', 'faults', {
        ...body,
        match: { method: 'POST', path: '/v1/refunds', payment: subject.charge },
      }) as Promise<{ id: number }>;
    const slow: number[] = [];
    for (const subject of subjects) {
      if (late.includes(subject.stage)) await holds.at(subject.runId, subject.stage);
      if (subject.stage === 'refund_outcome_unknown') await fault(subject, { kind: 'cut_after_commit' });
      if (subject.stage === inTheCall) slow.push((await fault(subject, { kind: 'latency', ms: 3_000 })).id);
    }
    // No worker yet takes these two past the step that is named: the hold is set before they start.
    await stack.killWorkers();
    const young = await Promise.all(early.map(started));
    for (const { runId, stage } of young) await holds.at(runId, stage);
    await stack.startWorker();
    const approving = Promise.all(
      subjects.filter(({ stage }) => stage !== waiting).map(({ runId }) => approve(runId)),
    );

    const expected = [...subjects.filter(({ stage }) => late.includes(stage)), ...young];
    await until(async () => {
      const held = await holds.held();
      const hits = (
        (await stack.provider.admin('GET', 'faults')) as { items: { id: number; hits: number }[] }
      ).items;
      return (
        expected.every(({ runId }) => held.includes(runId)) &&
        slow.every((id) => hits.find((row) => row.id === id)?.hits === 1)
      );
    });
    await stack.killWorkers('SIGKILL');
    await holds.releaseAll();
    await approving;

    await stack.startWorker();
    const all = [...subjects, ...young];
    await Promise.all(all.map(completed));
    expect(await outcomes(all)).toEqual(allPaidOnce(all));
    for (const { charge, runId } of all) {
      const keys = (await refundCalls(stack, charge)).map((call) => call.idempotencyKey);
      expect(new Set(keys)).toEqual(new Set([`${runId}:issue_refund`]));
    }
  });

  test('R32: a death at every event of the reference history, and whatever else dies with it: one refund each', async () => {
    const reference = await started('reference');
    await completed(reference);
    const events = (await historyOf(stack, reference.runId)).length;
    // Event 1 is the start itself. One run for each later event; each asks for one death when it gets there.
    const subjects = await Promise.all(
      Array.from({ length: events - 1 }, (_, i) => started(`event ${i + 2}`)),
    );
    const targets = new Map(subjects.map(({ runId }, i) => [runId, i + 2]));
    let deaths = 0;
    const deciding: Promise<void>[] = [];
    while (targets.size > 0) {
      const lengths = await Promise.all([...targets.keys()].map(lengthOf));
      const due = lengths.filter(({ runId, length }) => length >= (targets.get(runId) ?? Infinity));
      if (due.length > 0) {
        await stack.killWorkers('SIGKILL');
        deaths += 1;
        for (const { runId } of due) targets.delete(runId);
        await stack.startWorker();
      }
      for (const runId of targets.keys()) {
        if (!decided.has(runId) && (await phaseOf(runId)) === 'waiting_approval')
          deciding.push(approve(runId));
      }
    }
    await Promise.all(deciding);
    await Promise.all(subjects.map(completed));
    expect(await outcomes(subjects)).toEqual(allPaidOnce(subjects));
    // Several runs may share a death, but the story has more than one workflow task.
    expect(deaths).toBeGreaterThanOrEqual(4);
  }, 300_000);

  async function lengthOf(runId: string): Promise<{ runId: string; length: number }> {
    const { historyLength } = await stack.temporal.handle('acme', runId).describe();
    return { runId, length: historyLength };
  }
});

import type { WorkflowExecutionInfo } from '@temporalio/client';
import { TemporalEngine } from '../../src/adapters/temporal/engine';
import { refundWorkflowId } from '../../src/domain/contract';
import { fullScale } from '../support/shared';
import { TestStack } from '../support/stack';
import { brokenAuditRows, eventsOf, paidOut, refundCalls } from './evidence';

/** In full all of them; in every other run as many as make several histories long (test/support/globalSetup.ts). */
const [signals, updates] = fullScale ? [5_000, 3_000] : [300, 150];

describe('a run that gets more messages than one execution can hold', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await TestStack.start();
  });
  afterAll(() => stack.stop());

  async function executionsOf(runId: string): Promise<WorkflowExecutionInfo[]> {
    const asked = `WorkflowId = '${refundWorkflowId('acme', runId)}'`;
    const found: WorkflowExecutionInfo[] = [];
    for await (const one of stack.temporal.client.workflow.list({ query: asked })) found.push(one);
    return found.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
  }

  /** In so many lanes at once; Temporal takes ten updates of one run at a time. */
  async function times(count: number, lanes: number, send: () => Promise<unknown>): Promise<void> {
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < count; index = next++) await send();
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  test(`R35, R4: ${signals} signals and ${updates} updates on one run: no history grows without bound, no vote and no decision id is lost, one key`, async () => {
    const charge = await stack.provider.charge(200_000);
    const approval = await stack.as('service').openApproval({ paymentId: charge, amount: '800.00' });
    const { runId, id, proposalHash } = approval;
    const handle = stack.temporal.handle('acme', runId);
    const vote = { decisionId: 'first-vote', proposalHash };
    await stack.as('reviewer1').decide(approval, 'approve', vote);
    await stack
      .as('reviewer2')
      .decide(approval, 'comment', { comment: 'once', decisionId: 'said-once', proposalHash });

    await times(signals, 50, () => handle.signal('approval', { jws: 'rubbish' }));
    const again = {
      kind: 'recorded' as const,
      decision: 'comment' as const,
      approvalId: id,
      decisionId: 'said-once',
      proposalHash,
    };
    const answers = new Set<string>();
    const engine = new TemporalEngine(
      stack.temporal.connection,
      stack.temporal.namespace,
      'not searched for',
    );
    // As the outbox does: what Temporal did not take, because a task had failed or the run just went on, is sent again.
    const deliver = async () => {
      let reply = await engine.decide('acme', runId, again, 30_000);
      while (reply.kind === 'no_answer') reply = await engine.decide('acme', runId, again, 30_000);
      answers.add(JSON.stringify(reply));
    };
    await times(updates, 8, deliver);

    // The same decision, again and again and over every execution: answered as the first time, said once.
    expect([...answers]).toEqual([JSON.stringify({ kind: 'answered', answer: { accepted: true } })]);
    const executions = await executionsOf(runId);
    expect(executions.length).toBeGreaterThan(1);
    for (const { historyLength } of executions) expect(historyLength).toBeLessThan(51_200);
    const now = await stack.as('service').approval(id);
    expect(now).toMatchObject({
      status: 'open',
      revision: 1,
      votes: [{ actor: 'reviewer1', decisionId: 'first-vote' }],
    });
    expect(now.timeline.filter(({ decision }) => decision === 'comment')).toHaveLength(1);

    await stack.as('reviewer2').decide(approval, 'approve');
    await stack.as('service').untilPhase(runId, 'completed');
    expect(await paidOut(stack, charge)).toEqual([[80_000, 'succeeded']]);
    expect((await refundCalls(stack, charge)).map((call) => call.idempotencyKey)).toEqual([
      `${runId}:issue_refund`,
    ]);
    expect((await eventsOf(stack, runId)).filter((event) => event === 'approval_opened')).toHaveLength(1);
    expect(await brokenAuditRows(stack, runId)).toEqual([]);
  }, 600_000);
});

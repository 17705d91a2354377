import { refundWorkflowId } from '../../src/domain/contract';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { eventsOf, historyOf, openWork } from '../workflows/evidence';

const captured = 500_000;

/** Real runs, one for each way that the story can go; each resolves to the run whose history is worth keeping. */
export const scenarios: Record<string, (stack: TestStack) => Promise<string>> = {
  async automatic(stack) {
    const started = await stack
      .as('service')
      .startRefund({ paymentId: await stack.provider.charge(captured), amount: '12.00' });
    return ended(stack, started.body.runId, 'completed');
  },

  async completed(stack) {
    const { approval } = await opened(stack, '120.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    return ended(stack, approval.runId, 'completed');
  },

  async 'two-approvers'(stack) {
    const { approval } = await opened(stack, '800.00');
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('reviewer2').decide(approval, 'approve');
    return ended(stack, approval.runId, 'completed');
  },

  async edited(stack) {
    const { approval } = await opened(stack, '120.00');
    const raised = await stack.as('reviewer1').decide(approval, 'edit', amountOf('130.00'));
    await stack.as('reviewer2').decide(raised.body, 'edit', amountOf('100.00'));
    return ended(stack, approval.runId, 'completed');
  },

  async rejected(stack) {
    const { approval } = await opened(stack, '120.00');
    await stack.as('reviewer1').decide(approval, 'reject');
    return ended(stack, approval.runId, 'rejected');
  },

  async expired(stack) {
    const { approval } = await opened(stack, '120.00');
    await stack.temporal.skipTime('acme', approval.runId);
    return ended(stack, approval.runId, 'expired');
  },

  async cancelled(stack) {
    const { approval } = await opened(stack, '120.00');
    await stack.as('service').call('POST', `/v1/refunds/${approval.runId}/cancel`);
    return ended(stack, approval.runId, 'cancelled');
  },

  async 'unknown-outcome'(stack) {
    const { charge, approval } = await opened(stack, '120.00');
    await fault(stack, charge, { kind: 'cut_after_commit' });
    await stack.as('reviewer1').decide(approval, 'approve');
    return ended(stack, approval.runId, 'completed');
  },

  async refused(stack) {
    const { charge, approval } = await opened(stack, '120.00');
    await fault(stack, charge, { kind: 'insufficient_balance' });
    await stack.as('reviewer1').decide(approval, 'approve');
    return ended(stack, approval.runId, 'failed');
  },

  async pending(stack) {
    const { charge, approval } = await opened(stack, '120.00');
    await fault(stack, charge, { kind: 'refund_pending' });
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'settling');
    const [refund] = await stack.provider.refunds(charge);
    await stack.provider.admin('POST', `refunds/${refund?.id}`, { status: 'succeeded' });
    await stack.temporal.skipTime('acme', approval.runId);
    return ended(stack, approval.runId, 'completed');
  },

  async reviewed(stack) {
    const { charge, approval } = await opened(stack, '120.00');
    const dispute = (await stack.provider.admin('POST', 'disputes', { charge })) as { id: string };
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'needs_review');
    await stack.provider.admin('POST', `disputes/${dispute.id}/close`, { outcome: 'won' });
    await stack.temporal.skipTime('acme', approval.runId);
    return ended(stack, approval.runId, 'completed');
  },

  async signals(stack) {
    const { approval } = await opened(stack, '120.00');
    const handle = stack.temporal.handle('acme', approval.runId);
    await handle.signal('approval', 'rubbish');
    await until(async () => (await eventsOf(stack, approval.runId)).includes('signal_refused'));
    const path = `/v1/approvals/${approval.id}/signatures`;
    const { proposalHash } = approval;
    const signed = await stack.as('reviewer1').call('POST', path, { decision: 'approve', proposalHash });
    await handle.signal('approval', { jws: signed.body.jws });
    return ended(stack, approval.runId, 'completed');
  },

  async reset(stack) {
    const { approval } = await opened(stack, '120.00');
    const tasks = (await historyOf(stack, approval.runId)).filter(
      (e) => e.workflowTaskCompletedEventAttributes,
    );
    const place = tasks.at(-1)?.eventId;
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    await stack.temporal.connection.workflowService.resetWorkflowExecution({
      namespace: stack.temporal.namespace,
      workflowExecution: { workflowId: refundWorkflowId('acme', approval.runId) },
      reason: 'recorded for replay',
      requestId: `reset-${approval.runId}`,
      ...(place ? { workflowTaskFinishEventId: place } : {}),
    });
    return ended(stack, approval.runId, 'completed');
  },
};

async function opened(stack: TestStack, amount: string) {
  const charge = await stack.provider.charge(captured);
  const approval = await stack.as('service').openApproval({ paymentId: charge, amount });
  await until(async () => {
    const { timers, workflowTask } = await openWork(stack, approval.runId);
    return timers === 1 && !workflowTask;
  });
  return { charge, approval };
}

async function ended(
  stack: TestStack,
  runId: string,
  phase: Parameters<ReturnType<TestStack['as']>['untilPhase']>[1],
) {
  await stack.as('service').untilPhase(runId, phase);
  await until(
    async () => (await stack.temporal.handle('acme', runId).describe()).status.name === 'COMPLETED',
  );
  return runId;
}

const amountOf = (value: string) => ({ arguments: { amount: { value, currency: 'USD' } } });

const fault = (stack: TestStack, payment: string, body: Record<string, unknown>) =>
  stack.provider.admin('POST', 'faults', {
    ...body,
    match: { method: 'POST', path: '/v1/refunds', payment },
  });

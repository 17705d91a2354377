import type { WorkflowHandle } from '@temporalio/client';
import { refundWorkflowId } from '../../src/domain/contract';
import { agentScene, refundOf, status } from '../agent/agentScene';
import { batchesOf, rowOf } from '../batches/batchFixture';
import { statement } from '../http/memoryBodies';
import { approvalIdOf } from '../support/api';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';

/** Real batches, ingestions and agent runs; each resolves to the execution whose history is worth keeping. */
export const otherScenarios: Record<string, (stack: TestStack) => Promise<WorkflowHandle>> = {
  async batch(stack) {
    const batches = batchesOf(stack);
    const { batchId } = await batches.start(await rows(stack, 3));
    await batches.approve(batchId, 'reviewer1');
    return ended(stack, batchId);
  },

  async 'batch-each'(stack) {
    const batches = batchesOf(stack);
    const [one, two] = await rows(stack, 2);
    const { batchId } = await batches.start(
      [{ ...one, amount: { value: '10.00', currency: 'USD' } }, two ?? {}],
      {
        approval: 'each',
      },
    );
    await batches.untilBatch(
      batchId,
      ({ counts }) => counts.waiting_approval === 1 && counts.completed === 1,
    );
    const [, second] = await batches.items(batchId);
    const approval = await stack.as('service').approval(approvalIdOf(second?.runId ?? ''));
    await stack.as('reviewer1').decide(approval, 'approve');
    return ended(stack, batchId);
  },

  async 'batch-paused-and-cancelled'(stack) {
    const batches = batchesOf(stack);
    const { batchId } = await batches.start(await rows(stack, 2));
    await batches.untilBatch(batchId, ({ approval }) => approval !== null);
    await batches.order(batchId, 'pause');
    await batches.approve(batchId, 'reviewer1');
    await batches.untilBatch(batchId, ({ state }) => state === 'running');
    await batches.order(batchId, 'cancel');
    return ended(stack, batchId);
  },

  async 'batch-expired'(stack) {
    const batches = batchesOf(stack);
    const { batchId } = await batches.start(await rows(stack, 1));
    await batches.untilBatch(batchId, ({ approval }) => approval !== null);
    await stack.temporal.skipTime('acme', batchId);
    return ended(stack, batchId);
  },

  async 'batch-continued'(stack) {
    return (await inParts(stack)).first;
  },

  async 'batch-carried-on'(stack) {
    return (await inParts(stack)).last;
  },

  async ingestion(stack) {
    const documents = ['one', 'two'].map((document) => ({
      document,
      format: 'markdown',
      text: `# ${document}\n\nWords.`,
    }));
    const { batchId } = await batchesOf(stack).start(documents, { kind: 'documents' }, undefined, 'admin');
    return ended(stack, batchId);
  },

  async 'agent-run'(stack) {
    const { agent, start, conversation, untilRun, handle } = agentScene(stack);
    const { runId } = await start(await conversation(`It broke: ${await stack.provider.charge(12_000)}`), {
      maxStepsPerRun: 6,
    });
    const paused = await untilRun(runId, status('paused'));
    await agent.runs.resume(runId);
    await untilRun(runId, ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting');
    await stack.as('service').untilPhase(refundOf(paused), 'waiting_approval');
    await stack
      .as('reviewer1')
      .decide(await stack.as('service').approval(approvalIdOf(refundOf(paused))), 'approve');
    await untilRun(runId, status('completed'));
    return closed(handle(runId));
  },

  async 'agent-run-asks'(stack) {
    const { agent, start, conversation, say, untilRun, handle } = agentScene(stack);
    const ownerId = 'cus_vase.1';
    const threadId = await conversation('It never arrived.', ownerId);
    const { runId } = await start(threadId, { ownerId });
    await untilRun(runId, status('needs_review'));
    await say(threadId, `It was ${await stack.provider.charge(4_000)}.`, ownerId);
    await agent.runs.resume(runId);
    await untilRun(runId, status('completed'));
    return closed(handle(runId));
  },

  async 'rule-adopted'(stack) {
    const rule = await proposedRule(stack, 'procedure/greeting');
    await stack.as('admin').decide(await rule.approval(), 'approve');
    return closed(rule.handle);
  },

  async 'rule-rejected'(stack) {
    const rule = await proposedRule(stack, 'procedure/haste');
    await stack.as('admin').decide(await rule.approval(), 'reject');
    return closed(rule.handle);
  },

  async 'rule-expired'(stack) {
    const rule = await proposedRule(stack, 'procedure/late');
    await rule.approval();
    await stack.temporal.skipTime('acme', rule.candidateId);
    return closed(rule.handle);
  },
};

/** A rule of procedure that a model proposes. */
async function proposedRule(stack: TestStack, key: string) {
  const rule = { kind: 'procedural', key, source: 'inferred', explicitUserRequest: false };
  const { body } = await stack.as('agent').call('POST', '/v1/memories', statement('bea', rule));
  const candidateId = body.candidateId as string;
  const [admin, id] = [stack.as('admin'), candidateId.replace('mcd_', 'apr_mem_')];
  const approval = async () => {
    await until(async () => (await admin.call('GET', `/v1/approvals/${id}`)).status === 200);
    return admin.approval(id);
  };
  return { candidateId, approval, handle: stack.temporal.handle('acme', candidateId) };
}

/** Too small for nobody to be asked, and too large for more than one. */
async function rows(stack: TestStack, count: number) {
  const made = [];
  for (let row = 0; row < count; row += 1) made.push(rowOf(await stack.provider.charge(10_000), '60.00'));
  return made;
}

async function ended(stack: TestStack, batchId: string): Promise<WorkflowHandle> {
  await batchesOf(stack).untilBatch(batchId, ({ endedAt }) => endedAt !== null);
  return closed(stack.temporal.handle('acme', batchId));
}

async function closed(handle: WorkflowHandle): Promise<WorkflowHandle> {
  await until(async () => (await handle.describe()).status.name === 'COMPLETED');
  return handle;
}

/** A batch of which one execution starts four rows and hands over to the next. */
async function inParts(stack: TestStack) {
  const batches = batchesOf(stack);
  const { batchId, asked } = await batches.start(await rows(stack, 6));
  await batches.untilBatch(batchId, ({ approval }) => approval !== null);
  const { client } = stack.temporal;
  const workflowId = refundWorkflowId('acme', batchId);
  const handle = client.workflow.getHandle(workflowId);
  const { taskQueue } = await handle.describe();
  await handle.terminate('carried on by hand');
  const minor = Number(asked?.value) * 100;
  const { firstExecutionRunId } = await client.workflow.start('refundBatch', {
    ...{ workflowId, taskQueue },
    args: [
      {
        ...{ tenant: 'acme', runId: batchId, paymentId: batchId, requester: 'service', rowsPerExecution: 4 },
        arguments: { amount: { minor, currency: 'USD' }, reason: 'damaged' },
      },
    ],
  });
  // Another execution has another epoch, so people are asked anew (R27).
  await until(async () => (await stack.as('service').approval(`apr_${batchId}`)).revision === 2);
  await batches.approve(batchId, 'reviewer1');
  const last = await ended(stack, batchId);
  return { first: client.workflow.getHandle(workflowId, firstExecutionRunId), last };
}

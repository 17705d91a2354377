import type { AgentRunView } from '../../../application/agent/agentRunView';
import { pause } from '../../../client/retry';
import { patienceMs } from '../countersignApi';
import { paid } from '../providerBooks';
import type { Scene, Stage } from '../stage';

const customer = 'cus_ada';
const lookEveryMs = 250;

/** A customer's message becomes a proposal that cites policy and memory, waits, is edited by one person, agreed to by another, and paid. */
const conversation: Scene = {
  title: "A customer's message becomes a refund",
  async play(stage) {
    const { checks, provider, agent, service, reviewer1, reviewer2 } = stage;
    const charge = await provider.charge(900_00);
    await stage.workers.start('worker-1');
    const remembered = await service.post<{ memoryId: string }>('/v1/memories', {
      ...{ ownerId: customer, kind: 'semantic', key: 'preference.remedy', source: 'user_explicit' },
      ...{ value: 'Prefers her money back to a new item', explicitUserRequest: true },
    });
    const { memoryId } = remembered.body;
    const thread = await service.post<{ id: string }>('/v1/threads', {
      ownerId: customer,
      title: 'ORDER-42',
    });
    const message = `My chandelier of ORDER-42 arrived broken, see the photo. I paid 900.00 USD (${charge}).`;
    stage.say(`The customer writes: "${message}"`);
    const messages = `/v1/threads/${thread.body.id}/messages?owner=${customer}`;
    await service.post(messages, { messages: [{ role: 'user', text: message }] });

    const started = await agent.post<AgentRunView>(
      '/v1/runs',
      {
        goal: 'See to it that this customer is treated by the handbook',
        threadId: thread.body.id,
        ownerId: customer,
      },
      { 'idempotency-key': `demo-agent-${charge}` },
    );
    const runId = started.body.runId;
    const waiting = await follow(
      stage,
      runId,
      ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting',
    );
    const proposed = waiting.stepOutputs['propose_refund'];
    const refundRunId = proposed && 'refundRunId' in proposed ? proposed.refundRunId : 'none';
    await service.follow(refundRunId, 'approval_opened');
    const { note, requester, customerId } = await stage.refund(refundRunId);
    stage.say(`The agent's note to the reviewers:\n${note ?? ''}`);
    checks.equal(
      "the proposal is the agent's, for this customer",
      [requester, customerId],
      ['agent', customer],
    );
    checks.equal(
      'it cites the handbook on damaged goods, and what is remembered of her',
      [/knowledge:refund-handbook#\d+\.\d+ \(.*Damaged\)/.test(note ?? ''), note?.includes(memoryId)],
      [true, true],
    );
    checks.equal('nothing was paid yet', await provider.refundsOf(charge), []);

    const approval = await stage.approvalOf(refundRunId);
    checks.equal('two people have to agree to 900.00', approval.needed, 2);
    const own = await stage.decide(agent, approval, 'approve');
    checks.equal('the agent is no approver', [own.status, own.body.code], [403, 'forbidden']);
    stage.say('Reviewer One keeps 50.00 for the lamp shade, which is whole. That is his vote as well.');
    await stage.decide(reviewer1, approval, 'edit', '850.00');
    const edited = await stage.approvalOf(refundRunId);
    checks.equal(
      'the edit is a new revision, and waits for somebody else',
      [edited.revision, 'amount' in edited.arguments && edited.arguments.amount.value, edited.votes.length],
      [2, '850.00', 1],
    );
    const stale = await stage.decide(reviewer2, approval, 'approve');
    checks.equal('a vote on what was proposed before is refused', stale.body.code, 'decision_stale');
    stage.say('Reviewer Two reads the new revision and agrees.');
    await stage.decide(reviewer2, edited, 'approve');
    checks.equal('the refund is paid', await stage.untilDone(refundRunId), 'completed');
    checks.equal('the provider counts one refund of 850.00', await provider.refundsOf(charge), [
      paid(850_00),
    ]);

    const isDone = ({ status }: AgentRunView) => status === 'completed';
    const done = await follow(stage, runId, isDone, waiting.nextStepIndex);
    checks.equal(
      'the agent run has ended',
      [done.status, done.nextStepIndex],
      ['completed', done.plan.length],
    );
    const said = await service.read<{ items: { role: string; text: string }[] }>(messages);
    const last = said.items.at(-1);
    stage.say(`The customer is told: "${last?.text}"`);
    checks.equal('what she is told is what was paid', last?.text, 'Your refund of 850.00 USD was paid.');
  },
};

export const agentScenes: readonly Scene[] = [conversation];

/** Tells the steps of a run as they are done, from that one on. @throws Error when the time is up */
async function follow(
  stage: Stage,
  runId: string,
  reached: (run: AgentRunView) => boolean,
  from = 0,
): Promise<AgentRunView> {
  const deadline = Date.now() + patienceMs;
  let next = from;
  for (;;) {
    const run = await stage.agent.read<AgentRunView>(`/v1/runs/${runId}`);
    for (const { id } of run.plan.slice(next, run.nextStepIndex))
      stage.say(`${id.replaceAll('_', ' ')}: ${JSON.stringify(run.stepOutputs[id])}`);
    next = Math.max(next, run.nextStepIndex);
    if (reached(run)) return run;
    if (Date.now() > deadline || run.status === 'failed')
      throw new Error(`the agent run is ${run.status}: ${JSON.stringify(run.lastError)}`);
    await pause(lookEveryMs, undefined);
  }
}

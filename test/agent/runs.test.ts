import { randomUUID } from 'node:crypto';
import type { AgentState } from '../../src/domain/agent/state';
import { seedHandbook } from '../../src/main/seedHandbook';
import type { AgentRun } from '../../src/client';
import { apiCaller, approvalIdOf } from '../support/api';
import { query } from '../support/database';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { runCli } from '../cli/runCli';
import { brokenAuditRows } from '../workflows/evidence';
import { agentScene, customer, refundOf, status, type AgentScene } from './agentScene';
import { agentRunsWithModel } from './withModel';

let stack: TestStack;
let scene: AgentScene;
let agent: AgentScene['agent'];
let say: AgentScene['say'];
let conversation: AgentScene['conversation'];
let start: AgentScene['start'];
let untilRun: AgentScene['untilRun'];
let handle: AgentScene['handle'];
beforeAll(async () => {
  stack = await TestStack.start();
  scene = agentScene(stack);
  ({ agent, say, conversation, start, untilRun, handle } = scene);
  await seedHandbook(stack.database.url);
  const preference = { key: 'preference.remedy', value: 'Prefers a refund to a new lamp', kind: 'semantic' };
  const explicit = { source: 'user_explicit', explicitUserRequest: true };
  await stack.as('service').call('POST', '/v1/memories', { ownerId: customer, ...preference, ...explicit });
});
afterAll(() => stack.stop());

test('R36: a run pauses when its budget of steps is spent, its worker is killed, and it resumes at its next step', async () => {
  const charge = await stack.provider.charge(12_000);
  const threadId = await conversation(`My lamp of ORDER-42 arrived broken. I paid 120.00 USD, ${charge}.`);
  const { runId } = await start(threadId, { maxStepsPerRun: 3, onBehalfOf: 'reviewer2' });
  const paused = await untilRun(runId, status('paused'));
  expect(paused).toMatchObject({
    nextStepIndex: 3,
    stepsTaken: 3,
    pausedBy: 'step_budget',
    plannedBy: 'rules',
  });
  expect(Object.keys(paused.stepOutputs).sort()).toEqual([
    'gather_evidence',
    'look_up_order',
    'recall_memory',
  ]);

  await stack.killWorkers();
  const resumed = await agent.runs.resume(runId);
  expect(resumed).toMatchObject({ status: 'running', nextStepIndex: 3, stepsTaken: 0 });
  await stack.startWorker();
  const again = await untilRun(runId, status('paused'));
  expect(again).toMatchObject({ nextStepIndex: 6, stepsTaken: 3 });
  const refundRunId = refundOf(again);
  // What was done before is as it was: no step is taken twice.
  expect(again.stepOutputs).toMatchObject(paused.stepOutputs);

  const queried = await handle(runId).query<AgentState>('state');
  expect(queried).toMatchObject({
    ...{ runId, tenantId: 'acme', conversationId: threadId, status: 'paused', nextStepIndex: 6 },
    ...{ stepOutputs: again.stepOutputs, retryCounts: {}, lastError: null },
  });
  // Both doors tell the state by its own names.
  const names = ['runId', 'tenantId', 'conversationId', 'goal', 'plan', 'nextStepIndex', 'stepStatuses'];
  names.push('stepOutputs', 'retryCounts', 'status', 'lastError');
  for (const told of [queried, again]) expect(Object.keys(told)).toEqual(expect.arrayContaining(names));
  const history = JSON.stringify((await handle(runId).fetchHistory()).events);
  for (const words of ['lamp', 'ORDER-42', customer]) expect(history).not.toContain(words);

  // The refund is one like any other: the agent and the human behind it are no approvers.
  await stack.as('service').untilPhase(refundRunId, 'waiting_approval');
  const approval = await stack.as('reviewer1').approval(approvalIdOf(refundRunId));
  expect(approval.reason).toBe('damaged');
  const refund = await stack.as('service').refund(refundRunId);
  expect(refund).toMatchObject({
    requester: 'agent',
    threadId,
    proposed: { amount: { value: '120.00' } },
    onBehalfOf: 'reviewer2',
  });
  expect(refund.note).toMatch(/knowledge:refund-handbook#1\.\d+ \(refund-handbook > .*Damaged\)/);
  expect(refund.note).toMatch(/mem_/);
  expect((await stack.as('reviewer2').decide(approval, 'approve')).body.code).toBe('separation_of_duties');
  expect((await stack.as('agent').decide(approval, 'approve')).status).toBe(403);

  await agent.runs.resume(runId);
  await untilRun(runId, ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting');
  expect((await stack.as('reviewer1').decide(approval, 'approve')).status).toBe(200);
  const done = await untilRun(runId, status('completed'));
  expect(done.stepOutputs['await_refund']).toMatchObject({
    outcome: 'completed',
    amount: { value: '120.00' },
  });
  const said = await agent.threads.messages(threadId, {}, { owner: customer });
  expect(said.items.at(-1)).toMatchObject({ role: 'assistant', text: 'Your refund of 120.00 USD was paid.' });
  expect(said.items).toHaveLength(2);
  expect(await handle(runId).result()).toEqual({ runId, status: 'completed' });
  expect(await brokenAuditRows(stack, runId)).toEqual([]);
  // R1: what each step did has the key of run and step.
  const keys = await query<{ key: string }>(
    stack.database.adminUrl,
    `select effect_key as key from audit where run_id = $1 and event = 'agent_step_completed' order by seq`,
    [runId],
  );
  expect(keys.map(({ key }) => key)).toEqual(done.plan.map(({ id }) => `${runId}:${id}`));
  const [counted] = await query<{ n: number }>(
    stack.database.adminUrl,
    `select count(*)::int as n from refund_requests where idempotency_key like $1`,
    [`${runId}:%`],
  );
  expect(counted).toEqual({ n: 1 });
  await expect(agent.runs.resume(runId)).rejects.toMatchObject({ code: 'agent_run_ended', status: 409 });
});

test('what nobody can guess is asked of a person, and the run goes on at the same step when it was said', async () => {
  // Another customer: what one asks for within a day counts together (R30).
  const vase = 'cus_vase.1';
  const threadId = await conversation('My vase never arrived, I want my money back.', vase);
  const { runId } = await start(threadId, { ownerId: vase });
  const stuck = await untilRun(runId, status('needs_review'));
  expect(stuck.lastError).toMatchObject({ code: 'agent_needs_input', stepId: 'look_up_order' });
  const told = await query(
    stack.database.adminUrl,
    `select recipient, data from notifications where run_id = $1 and template = 'agent_run_needs_review'`,
    [runId],
  );
  // Those who can see it, and have it go on.
  expect(told).toMatchObject([{ recipient: 'group:admins' }]);
  const charge = await stack.provider.charge(4_000);
  await say(threadId, `It was ${charge}.`, vase);
  await agent.runs.resume(runId);
  const done = await untilRun(runId, status('completed'));
  // Small enough for the policy to ask nobody.
  expect(done.stepOutputs['draft_refund']).toMatchObject({
    reason: 'not_received',
    amount: { value: '40.00' },
  });
  expect((await stack.provider.refunds(charge)).length).toBe(1);
});

test('R38: what a run may not name, and who may see and direct it', async () => {
  const foreign = await stack.provider.charge(5_000);
  await stack.as('service', 'globex').startRefund({ paymentId: foreign, amount: '1.00' });
  const threadId = await conversation(`Broken! ${foreign} please, in full.`);
  const key = randomUUID();
  const body = { goal: 'See to it', threadId, ownerId: customer };
  const post = (more: object, who = stack.as('agent')) =>
    who.call('POST', '/v1/runs', { ...body, ...more }, { 'idempotency-key': key });
  const first = await post({});
  expect(first).toMatchObject({ status: 202, body: { status: 'pending' } });
  const runId = first.body.runId as string;
  expect((await post({})).body.runId).toBe(runId);
  expect((await post({ goal: 'Something else' })).body).toMatchObject({
    code: 'idempotency_conflict',
    status: 409,
  });
  const failed = await untilRun(runId, status('failed'));
  expect(failed.lastError).toMatchObject({ code: 'payment_unknown', stepId: 'look_up_order' });

  const path = `/v1/runs/${runId}`;
  const unknown = await stack.as('agent').call('GET', `/v1/runs/agr_${'0'.repeat(32)}`);
  for (const who of [stack.as('agent', 'globex'), stack.as('reviewer1')]) {
    const seen = await who.call('GET', path);
    expect([seen.status, seen.body.code, seen.body.detail]).toEqual([404, 'not_found', unknown.body.detail]);
  }
  expect((await stack.as('service').call('POST', `${path}/pause`)).body).toMatchObject({ code: 'forbidden' });
  expect((await stack.as('admin').call('POST', `${path}/pause`)).body).toMatchObject({
    code: 'agent_run_ended',
  });
  const fresh = { 'idempotency-key': randomUUID() };
  const refused = (more: object) => stack.as('agent').call('POST', '/v1/runs', { ...body, ...more }, fresh);
  expect((await refused({ goal: 'Card 4111 1111 1111 1111' })).body.code).toBe('sensitive_text');
  expect((await refused({ ownerId: 'somebody' })).body.code).toBe('thread_unknown');
  expect((await refused({ maxStepsPerRun: 0 })).body.code).toBe('invalid_request');
  expect((await stack.as('agent').call('POST', '/v1/runs', body)).body.code).toBe('idempotency_key_required');

  const minted = await stack.as('admin').call('POST', '/v1/admin/keys', {
    ...{ person: 'agent', name: 'narrow', scopes: ['runs:start', 'runs:read'] },
  });
  const narrow = apiCaller(stack.apiUrl, minted.body.token as string);
  const withoutProposing = await narrow.call('POST', '/v1/runs', body, fresh);
  expect(withoutProposing).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
  expect((await narrow.call('GET', '/v1/runs?status=failed')).body.items).toMatchObject([{ runId }]);
  expect((await stack.as('reviewer1').call('GET', '/v1/runs')).body.items).toEqual([]);
});

test('R34: a stale version is told so at the door, and the run itself reads again; the command line shows both', async () => {
  const charge = await stack.provider.charge(20_000);
  const threadId = await conversation(`My lamp broke, please refund 60.00 USD of ${charge}`);
  const env = { COUNTERSIGN_API_URL: stack.apiUrl, COUNTERSIGN_TOKEN: testTokens.acme.agent };
  const goal = ['--goal', 'See to it', '--thread', threadId, '--owner', customer, '--json'];
  const started = await runCli(['agent', 'run', ...goal, '--max-steps', '2', '--wait'], env);
  expect(started.code).toBe(0);
  const { runId, version } = JSON.parse(started.stdout) as AgentRun;
  const stale = await runCli(
    ['agent', 'resume', runId, '--expect-version', String(version - 1), '--json'],
    env,
  );
  expect(stale.code).toBe(1);
  expect(JSON.parse(stale.stderr)).toMatchObject({ code: 'version_conflict' });
  // Two writers with one version: one of them wins.
  const both = await Promise.allSettled([
    agent.runs.resume(runId, { expectedVersion: version }),
    agent.runs.resume(runId, { expectedVersion: version }),
  ]);
  expect(both.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  const again = await untilRun(runId, (run) => run.status === 'paused' && run.nextStepIndex === 4);
  const shown = await runCli(['agent', 'show', again.runId], env);
  expect(shown.stdout).toMatch(/is paused, its budget of steps is spent[^]*search_knowledge +completed/);
  // A pause that is asked for while people decide.
  await agent.runs.resume(runId);
  await untilRun(runId, (run) => run.status === 'paused' && run.nextStepIndex === 6);
  await agent.runs.resume(runId);
  const waiting = await untilRun(runId, ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting');
  expect(await agent.runs.pause(runId)).toMatchObject({ status: 'paused', pausedBy: 'asked' });
  await stack.as('service').untilPhase(refundOf(waiting), 'waiting_approval');
  await stack
    .as('reviewer1')
    .decide(await stack.as('reviewer1').approval(approvalIdOf(refundOf(waiting))), 'reject');
  await stack.as('service').untilPhase(refundOf(waiting), 'rejected');
  await agent.runs.resume(runId);
  const done = await untilRun(runId, status('completed'));
  expect(done.stepOutputs['await_refund']).toMatchObject({ outcome: 'rejected', amount: null });
  expect((await stack.provider.refunds(charge)).length).toBe(0);
});

agentRunsWithModel(() => ({ stack, scene }));

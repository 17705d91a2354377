import type { ApprovalView, TimelineEntry } from '../../src/application/views';
import { agentScene } from '../agent/agentScene';
import { batchesOf, rowOf } from '../batches/batchFixture';
import { apiCaller } from '../support/api';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { ApiInThisProcess } from './apiInThisProcess';
import { expectProblem } from './doorFixture';
import { EventStream, type ServerEvent } from './eventStream';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start();
});
afterAll(() => stack.stop());

const watch = (runId: string, lastEventId?: string) =>
  EventStream.open(`${stack.apiUrl}/v1/refunds/${runId}/events`, testTokens.acme.service, lastEventId);

async function timeline(runId: string): Promise<TimelineEntry[]> {
  return (await stack.as('service').call('GET', `/v1/refunds/${runId}/timeline`)).body
    .items as TimelineEntry[];
}

async function opened(): Promise<ApprovalView> {
  const paymentId = await stack.provider.charge(100_000);
  return stack.as('service').openApproval({ paymentId, amount: '120.00' });
}

describe('live events of a run', () => {
  test('show every transition as it happens, in order, and end with the run', async () => {
    const approval = await opened();
    const stream = await watch(approval.runId);
    expect(stream.contentType).toMatch(/^text\/event-stream/);
    await stream.until((events) => events.some((e) => e.event === 'approval_opened'));
    expect(stream.ended).toBe(false);
    await stack.as('reviewer1').decide(approval, 'approve');
    await stream.end();
    const rows = await timeline(approval.runId);
    expect(stream.events.map((e) => JSON.parse(e.data) as TimelineEntry)).toEqual(rows);
    expect(stream.events.map((e) => [e.id, e.event])).toEqual(rows.map((r) => [String(r.seq), r.event]));
    expect(rows.map((r) => r.seq)).toEqual(rows.map((_, i) => i + 1));
    expect(rows.at(-1)?.event).toBe('completed');
  });

  test('a vote that ends nothing is shown too, without a change of phase', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const approval = await stack.as('service').openApproval({ paymentId, amount: '600.00' });
    const stream = await watch(approval.runId);
    await stack.as('reviewer1').decide(approval, 'approve');
    await stream.until((events) => events.some((e) => e.event === 'decision_approve'));
    expect(stream.ended).toBe(false);
    await stream.leave();
  });

  test('after a break Last-Event-ID goes on where it stopped, without loss and without repetition', async () => {
    const approval = await opened();
    const first = await watch(approval.runId);
    await first.until((events) => events.length >= 2);
    await first.leave();
    const last = first.events.at(1)?.id ?? '';
    await stack.as('reviewer1').decide(approval, 'approve');
    await stack.as('service').untilPhase(approval.runId, 'completed');
    const second = await watch(approval.runId, last);
    await second.end();
    const seen = [...first.events.slice(0, 2), ...second.events].map((e) => Number(e.id));
    expect(seen).toEqual((await timeline(approval.runId)).map((r) => r.seq));
  });

  test('a run that has ended is told whole and at once; one that was seen to the end, not again', async () => {
    const paymentId = await stack.provider.charge(100_000);
    const started = await stack.as('service').startRefund({ paymentId, amount: '10.00' });
    const runId = started.body.runId as string;
    await stack.as('service').untilPhase(runId, 'completed');
    const rows = await timeline(runId);
    for (const [lastEventId, expected] of [
      [undefined, rows.length],
      ['rubbish', rows.length],
      ['-1', rows.length],
      [String(rows.length), 0],
      ['999999', 0],
    ] as const) {
      const stream = await watch(runId, lastEventId);
      await stream.end();
      expect({ lastEventId, events: stream.events.length }).toEqual({ lastEventId, events: expected });
    }
  });

  test('R28: whoever leaves is forgotten, also a hundred at once, and those who stay go on', async () => {
    const approval = await opened();
    const api = await ApiInThisProcess.start(stack);
    const watchHere = () => EventStream.open(api.events(approval.runId), testTokens.acme.service);
    const stays = await watchHere();
    const leavers = await Promise.all(Array.from({ length: 100 }, watchHere));
    await Promise.all(leavers.map((stream) => stream.until((events) => events.length > 0)));
    await until(async () => api.listeners === 101);
    await Promise.all(leavers.map((stream) => stream.leave()));
    await until(async () => api.listeners === 1);
    await stack.as('reviewer1').decide(approval, 'approve');
    await stays.end();
    expect(stays.events.at(-1)?.event).toBe('completed');
    await until(async () => api.listeners === 0);
    await api.stop();
  });

  test('R41: a key that has made its calls waits, before anything is looked at; what is open goes on, and so do all others', async () => {
    const approval = await opened();
    const api = await ApiInThisProcess.start(stack, { callsPerMinute: 2 });
    const { service, agent } = testTokens.acme;
    const ask = (token: string | undefined, path = '/v1/self') => apiCaller(api.url, token).call('GET', path);
    const stream = await EventStream.open(api.events(approval.runId), service);
    expect((await ask(service)).status).toBe(200);
    for (const path of ['/v1/self', '/v1/refunds/run_none', '/v1/refunds?limit=0', '/v1/nothing']) {
      const refused = await ask(service, path);
      expectProblem(refused, 429, 'rate_limited');
      const { retryAfterSeconds } = refused.body as { retryAfterSeconds: number };
      expect(retryAfterSeconds).toBeGreaterThan(0);
      expect(refused.headers.get('retry-after')).toBe(String(retryAfterSeconds));
    }
    const others = [ask(agent), ask(testTokens.globex.service), ask('nobody'), ask(service, '/healthz')];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 401, 200]);
    await stack.as('reviewer1').decide(approval, 'approve');
    await stream.end();
    expect(stream.events.at(-1)?.event).toBe('completed');
    await api.stop();
  });
});

describe('live events of a batch and of an agent run', () => {
  /** Watches until `enough`, leaves while `more` happens, and goes on after the last event that it has seen. */
  async function inTwoParts(
    path: string,
    token: string,
    enough: (events: readonly ServerEvent[]) => boolean,
    more: () => Promise<unknown>,
  ) {
    const url = `${stack.apiUrl}${path}`;
    const first = await EventStream.open(`${url}/events`, token);
    await first.until(enough);
    await first.leave();
    const numbered = first.events.filter(({ id }) => id !== '');
    await more();
    const second = await EventStream.open(`${url}/events`, token, numbered.at(-1)?.id);
    await second.end();
    const seen = [...numbered, ...second.events.filter(({ id }) => id !== '')];
    expect(seen.map(({ data }) => JSON.parse(data) as TimelineEntry)).toEqual(
      (await apiCaller(stack.apiUrl, token).call('GET', `${path}/timeline`)).body.items,
    );
    expect(seen.map(({ id }) => Number(id))).toEqual(seen.map((_, index) => index + 1));
    const progress = [...first.events, ...second.events].filter(({ event }) => event === 'progress');
    return { first, progress: progress.map(({ data }) => JSON.parse(data) as Record<string, unknown>) };
  }

  test('of a batch: a break loses no transition, and the last that is told is how it has ended', async () => {
    const batches = batchesOf(stack);
    const charge = await stack.provider.charge(10_000);
    const { batchId } = await batches.start([rowOf(charge), rowOf(charge, '12.00')]);
    const { progress } = await inTwoParts(
      `/v1/batches/${batchId}`,
      testTokens.acme.service,
      (events) => events.some(({ event }) => event === 'approval_opened'),
      async () => {
        await batches.order(batchId, 'pause');
        await batches.approve(batchId, 'reviewer1');
        await batches.order(batchId, 'resume');
        await batches.untilBatch(batchId, ({ endedAt }) => endedAt !== null);
      },
    );
    expect(progress[0]).toMatchObject({ batchId, rows: 2 });
    expect(progress.at(-1)).toMatchObject({ state: 'completed', counts: { completed: 2 } });
  });

  test('of an agent run: each step is told when it is taken, also over a pause, and its end ends the stream', async () => {
    const { agent, conversation, untilRun } = agentScene(stack);
    const charge = await stack.provider.charge(4_000);
    const threadId = await conversation(`It arrived broken, ${charge} please.`, 'cus_stream.1');
    const { runId } = await agent.runs.start({
      goal: 'Help',
      threadId,
      ownerId: 'cus_stream.1',
      maxStepsPerRun: 3,
    });
    const { first, progress } = await inTwoParts(
      `/v1/runs/${runId}`,
      testTokens.acme.agent,
      (events) => events.some(({ event }) => event === 'agent_run_paused'),
      async () => {
        await agent.runs.resume(runId);
        await untilRun(runId, ({ status }) => status === 'paused');
        await agent.runs.resume(runId);
        await untilRun(runId, ({ status }) => status === 'completed');
      },
    );
    expect(first.events.filter(({ event }) => event === 'agent_step_completed')).toHaveLength(3);
    expect(progress.at(-1)).toMatchObject({ status: 'completed' });
    const foreign = await stack.as('agent', 'globex').call('GET', `/v1/runs/${runId}/events`);
    expect(foreign.status).toBe(404);
  });
});

describe('live events of the inbox', () => {
  const inbox = (token: string) => EventStream.open(`${stack.apiUrl}/v1/approvals/events`, token);

  test('R38: tell that they are there, then of changes in the own tenant and in no other', async () => {
    const [ours, theirs] = [await inbox(testTokens.acme.reviewer1), await inbox(testTokens.globex.reviewer1)];
    await Promise.all([ours, theirs].map((stream) => stream.until((events) => events.length === 1)));
    const approval = await opened();
    await ours.until((events) => events.length > 1);
    const before = ours.events.length;
    await stack.as('reviewer1').decide(approval, 'approve');
    await ours.until((events) => events.length > before);
    expect(new Set(ours.events.map(({ event, data }) => `${event} ${data}`))).toEqual(
      new Set(['changed inbox']),
    );
    expect(theirs.events).toHaveLength(1);
    await Promise.all([ours.leave(), theirs.leave()]);
  });
});

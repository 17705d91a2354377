import type { ApprovalView, TimelineEntry } from '../../src/application/views';
import { apiCaller } from '../support/api';
import { until } from '../support/processes';
import { testTokens } from '../support/shared';
import { TestStack } from '../support/stack';
import { ApiInThisProcess } from './apiInThisProcess';
import { expectProblem } from './doorFixture';
import { EventStream } from './eventStream';

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

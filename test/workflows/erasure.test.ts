import { randomBytes } from 'node:crypto';
import type { ErasureView } from '../../src/application/erasures';
import { erasureWorkflowId, refundWorkflowId } from '../../src/domain/contract';
import { apiCaller, type ApiCaller } from '../support/api';
import { query } from '../support/database';
import { until } from '../support/processes';
import { TestStack } from '../support/stack';
import { auditOf, brokenAuditRows } from './evidence';
import { retentionSweep } from './retentionSweep';

const customer = 'cus_forgetme.7';

let stack: TestStack;
let secondAdmin: ApiCaller;
const encryption = { COUNTERSIGN_ENCRYPTION_KEYS: randomBytes(32).toString('base64') };
beforeAll(async () => {
  stack = await TestStack.start({ env: encryption });
  await stack.as('admin').call('POST', '/v1/admin/people', {
    ...{ id: 'admin2', kind: 'person', displayName: 'Second Admin', groups: ['admins'] },
  });
  const key = { person: 'admin2', name: 'first', scopes: ['admin'] };
  const made = await stack.as('admin').call('POST', '/v1/admin/keys', key);
  secondAdmin = apiCaller(stack.apiUrl, made.body.token as string);
});
afterAll(() => stack.stop());

const rows = <Row extends object>(text: string, values: unknown[] = []) =>
  query<Row>(stack.database.adminUrl, text, values);

async function refunding(amount: string, more: Record<string, unknown> = {}) {
  const paymentId = await stack.provider.charge(50_000);
  return { paymentId, amount, customerId: customer, orderId: 'order-77', ...more };
}

async function ended(runId: string, phase: 'completed' | 'rejected'): Promise<string> {
  await stack.as('service').untilPhase(runId, phase);
  await until(
    async () => (await stack.temporal.handle('acme', runId).describe()).status.name === 'COMPLETED',
  );
  return runId;
}

async function paid(more: Record<string, unknown> = {}): Promise<string> {
  const started = await stack.as('service').startRefund(await refunding('12.00', more));
  return ended(started.body.runId as string, 'completed');
}

/** Every execution of a run, by Temporal's own records. */
async function executionsOf(runId: string): Promise<number> {
  let count = 0;
  const sought = stack.temporal.client.workflow.list({
    query: `WorkflowId = '${refundWorkflowId('acme', runId)}'`,
  });
  for await (const _execution of sought) count += 1;
  return count;
}

/** Rows of every table that hold the text, as the superuser sees them. */
async function tablesWith(text: string): Promise<Record<string, number>> {
  const tables = await rows<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await rows<{ n: number }>(
      `select count(*)::int as n from ${name} t where position($1 in t::text) > 0`,
      [text],
    );
    if (row && row.n > 0) found[name] = row.n;
  }
  return found;
}

const shown = async (id: string): Promise<ErasureView> =>
  (await stack.as('admin').call('GET', `/v1/erasures/${id}`)).body as ErasureView;

async function untilWaitingFor(id: string, codes: string[]): Promise<void> {
  await until(async () => {
    const { waitingFor } = await shown(id);
    return JSON.stringify(waitingFor.map(({ code }) => code)) === JSON.stringify(codes);
  });
}

/** The hour after which it looks again passes at once. */
async function lookAgain(id: string): Promise<void> {
  await stack.temporal.skipTimeOf(erasureWorkflowId('acme', id));
}

describe('a person who asks to be forgotten', () => {
  let done: string;
  let decided: { runId: string; id: string; proposalHash: string };
  let bystander: string;
  let erasure: string;

  beforeAll(async () => {
    done = await paid({ note: 'He is cross.', evidence: ['a letter of his'], onBehalfOf: 'm.forgetme' });
    bystander = await paid({ customerId: 'cus_forgetme.77', note: 'another one', onBehalfOf: 'm.forgetme' });
    decided = await stack.as('service').openApproval(await refunding('120.00'));
    await stack.as('reviewer1').decide(decided, 'comment', { comment: `Is ${customer} honest?` });
  });

  test('R49: another administrator confirms it, and nobody else learns of it', async () => {
    const asked = await stack.as('admin').call('POST', '/v1/erasures', { person: customer });
    expect(asked).toMatchObject({
      status: 202,
      body: { state: 'unconfirmed', own: false, confirmedBy: null },
    });
    erasure = asked.body.id as string;
    const again = await stack.as('admin').call('POST', '/v1/erasures', { person: customer });
    expect(again.body.id).toBe(erasure);
    const confirm = `/v1/erasures/${erasure}/confirm`;
    const own = await stack.as('admin').call('POST', confirm);
    expect(own).toMatchObject({ status: 403, body: { code: 'separation_of_duties' } });
    for (const caller of [stack.as('reviewer1'), stack.as('service'), stack.as('admin', 'globex')])
      expect((await caller.call('GET', `/v1/erasures/${erasure}`)).status).toBe(404);
    const others = await stack.as('reviewer1').call('POST', '/v1/erasures', { person: customer });
    expect(others.status).toBe(403);
    expect((await stack.as('admin').call('POST', '/v1/erasures', { person: 'a b' })).status).toBe(422);
    expect((await secondAdmin.call('POST', confirm)).body).toMatchObject({ confirmedBy: 'admin2' });
  });

  test('R49: what has ended goes at once; a refund that waits for people and a legal hold are waited for', async () => {
    await untilWaitingFor(erasure, ['refunds_unfinished']);
    await until(async () => (await executionsOf(done)) === 0);
    const view = await stack.as('service').refund(done);
    expect(view).toMatchObject({ customerId: null, onBehalfOf: null, note: null, phase: 'completed' });

    const hold = { scope: 'person', subject: customer, reason: 'case 17/26' };
    const placed = await stack.as('admin').call('POST', '/v1/admin/holds', hold);
    await stack.as('reviewer1').decide(decided, 'reject');
    await ended(decided.runId, 'rejected');
    await lookAgain(erasure);
    await untilWaitingFor(erasure, ['legal_hold', 'refunds_held']);
    expect(await executionsOf(decided.runId)).toBe(1);
    await stack.as('admin').call('POST', `/v1/admin/holds/${placed.body.id}/release`);
    await until(async () => (await shown(erasure)).state === 'finished');
  });

  test('R49: a scan of every table and every history finds nothing, and the report says so', async () => {
    const { report, person, waitingFor } = await shown(erasure);
    expect({ person, waitingFor }).toEqual({ person: null, waitingFor: [] });
    expect(report?.histories).toBe(2);
    expect(report?.erased).toMatchObject({ runs: 2, approvals: 1, decisions: 2 });
    expect(Object.values(report?.looked ?? { none: 1 }).every((found) => found === 0)).toBe(true);
    expect(Object.keys(report?.looked ?? {}).length).toBeGreaterThan(25);
    expect(report?.kept).toEqual({});
    const neighbours = await tablesWith('cus_forgetme.77');
    expect(neighbours).toMatchObject({ runs: 1 });
    expect(await tablesWith(customer)).toEqual(neighbours);
    for (const text of ['He is cross.', 'a letter of his', 'honest?'])
      expect(await tablesWith(text)).toEqual({});
    expect(await executionsOf(decided.runId)).toBe(0);
  });

  test('R49: neither a replay nor a reset nor the same request brings anything back; figures and chains stay', async () => {
    for (const runId of [done, decided.runId]) {
      await expect(stack.temporal.handle('acme', runId).fetchHistory()).rejects.toThrow();
      await expect(
        stack.temporal.connection.workflowService.resetWorkflowExecution({
          namespace: stack.temporal.namespace,
          workflowExecution: { workflowId: refundWorkflowId('acme', runId) },
          reason: 'to bring it back',
          requestId: `reset-${runId}`,
          workflowTaskFinishEventId: 4 as never,
        }),
      ).rejects.toThrow();
      expect(await brokenAuditRows(stack, runId)).toEqual([]);
    }
    const { result } = await stack.as('service').refund(done);
    expect(result).toMatchObject({ outcome: 'completed', amount: { value: '12.00' } });
    expect(await executionsOf(bystander)).toBe(1);
    const told = await auditOf(stack, erasure);
    expect([...new Set(told.map(({ event }) => event))]).toEqual([
      ...['erasure_requested', 'erasure_confirmed', 'erasure_waiting', 'erasure_finished'],
    ]);
    expect(JSON.stringify(told)).not.toContain(customer);
  });

  test('R49: the one behind the service is another person; what is remembered of him goes on his own request', async () => {
    const behind = 'm.forgetme';
    expect(Object.keys(await tablesWith(behind)).sort()).toEqual([
      'memories',
      'memory_decisions',
      'runs',
      'spoken_for',
    ]);
    const asked = await secondAdmin.call('POST', '/v1/erasures', { person: behind });
    const id = asked.body.id as string;
    await stack.as('admin').call('POST', `/v1/erasures/${id}/confirm`);
    await until(async () => (await shown(id)).state === 'finished');
    expect(await tablesWith(behind)).toEqual({});
    expect((await shown(id)).report?.erased).toMatchObject({ memories: 2, memory_decisions: 2 });
  });

  test('R49: conversations go too, with what tools answered and what was summarized; nothing of them comes back', async () => {
    const talker = 'cus_talks.3';
    const service = stack.as('service');
    const begin = async (ownerId: string, title: string) =>
      (await service.call('POST', '/v1/threads', { ownerId, title }, { 'idempotency-key': `of-${ownerId}` }))
        .body.id as string;
    const say = (id: string, owner: string, messages: object[]) =>
      service.call('POST', `/v1/threads/${id}/messages?owner=${owner}`, { messages });
    const own = await begin(talker, 'A lamp named Zanzibar');
    const said = Array.from({ length: 30 }, (_, n) => [
      { role: 'user', text: `Where is Zanzibar, ORDER-${n}?` },
      { role: 'tool_call', text: '{"lamp":"Zanzibar"}', toolCallId: `c${n}`, toolName: 'find' },
      { role: 'tool_result', text: `{"quetzal":"lost ${n}"}`, toolCallId: `c${n}` },
    ]).flat();
    for (const half of [said.slice(0, 45), said.slice(45)])
      expect((await say(own, talker, half)).status).toBe(201);
    const context = await service.call('GET', `/v1/threads/${own}/context?owner=${talker}`);
    expect(context.body.summary).toMatchObject({ upTo: 40 });
    const others = await begin('cus_neighbour', `Complains of ${talker}`);
    const heard = [`I met ${talker} there.`, 'Good bye.'].map((text) => ({ role: 'user', text }));
    await say(others, 'cus_neighbour', heard);
    const before = { thread_turns: 60, thread_compactions: 1, threads: 1 };
    expect(await tablesWith('Zanzibar')).toEqual(before);

    const asked = await stack.as('admin').call('POST', '/v1/erasures', { person: talker });
    const id = asked.body.id as string;
    await secondAdmin.call('POST', `/v1/erasures/${id}/confirm`);
    await until(async () => (await shown(id)).state === 'finished');
    const { report } = await shown(id);
    expect(report?.erased).toMatchObject({ threads: 2, thread_turns: 91, thread_compactions: 1 });
    expect(report?.looked).toMatchObject({ threads: 0, thread_turns: 0, thread_compactions: 0 });
    for (const text of [talker, 'Zanzibar', 'quetzal']) expect(await tablesWith(text)).toEqual({});
    const kept = await service.call('GET', `/v1/threads/${others}/messages?owner=cus_neighbour`);
    expect(kept.body.items).toMatchObject([{ text: '(erased)' }, { text: 'Good bye.' }]);
    expect((await service.call('GET', `/v1/threads/${others}?owner=cus_neighbour`)).body.title).toBe(
      '(erased)',
    );

    expect((await say(own, talker, said.slice(0, 3))).status).toBe(404);
    expect((await service.call('GET', `/v1/threads/${own}/context?owner=${talker}`)).status).toBe(404);
    expect(await begin(talker, 'Another lamp')).toBe(own);
    const anew = await service.call('GET', `/v1/threads/${own}/messages?owner=${talker}`);
    expect(anew.body.items).toEqual([]);
  });

  test('R49: whoever asks for himself needs nobody, and his handle stays where he acted', async () => {
    const asked = await stack.as('reviewer2').call('POST', '/v1/erasures', { person: 'Reviewer2' });
    expect(asked.body).toMatchObject({ own: true, state: 'erasing', person: 'reviewer2' });
    const id = asked.body.id as string;
    await until(async () => {
      const seen = await stack.as('reviewer2').call('GET', `/v1/erasures/${id}`);
      return seen.body.state === 'finished';
    });
    const [principal] = await rows(
      `select display_name from principals where tenant = 'acme' and id = 'reviewer2'`,
    );
    expect(principal).toEqual({ display_name: 'reviewer2' });
  });
});

retentionSweep({ stack: () => stack, paid, executionsOf, tablesWith });

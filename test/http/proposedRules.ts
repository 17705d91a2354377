import type { Answer } from '../support/api';
import { query } from '../support/database';
import { until } from '../support/processes';
import type { TestStack } from '../support/stack';
import { bytesOf, expectProblem } from './doorFixture';
import { owned, statement } from './memoryBodies';

interface Ground {
  readonly stack: () => TestStack;
  readonly propose: (body: object, headers?: Record<string, string>, who?: 'agent') => Promise<Answer>;
}

/** Rules of procedure from the door to the memory; over a stack that runs already. */
export function proposedRules({ stack: running, propose }: Ground): void {
  describe('a rule of procedure', () => {
    test('R43, R23, R25: what a model proposes as procedure is 202 and an approval, which an administrator decides on by what he read, and no approver', async () => {
      const stack = running();
      const rule = {
        kind: 'procedural',
        key: 'procedure/greeting',
        value: 'Greet first.',
        source: 'inferred',
        explicitUserRequest: false,
      };
      const waits = await propose(statement('bea', rule), {}, 'agent');
      expect(waits).toMatchObject({ status: 202, body: { memoryId: null, allowed: false } });
      const id = waits.body.candidateId as string;
      const [admin, agent] = [stack.as('admin'), stack.as('agent')];
      const path = `/v1/memories/candidates/${id}`;
      const { body: candidate } = await admin.call('GET', path);
      const approvalId = candidate.approvalId as string;
      expect(approvalId).toBe(id.replace('mcd_', 'apr_mem_'));
      const mine = await agent.call('GET', path);
      expect(mine.body).toMatchObject({
        status: 'waiting',
        value: rule.value,
        decidedBy: null,
        memoryId: null,
      });
      const unknown = '/v1/memories/candidates/mcd_unknown';
      for (const other of [stack.as('service'), stack.as('lead'), stack.as('agent', 'globex')])
        expect(bytesOf(await other.call('GET', path))).toEqual(bytesOf(await other.call('GET', unknown)));
      const there = () => admin.call('GET', `/v1/approvals/${approvalId}`);
      await until(async () => (await there()).status === 200);
      const { body: approval } = await there();
      expect(approval).toMatchObject({
        ...{ action: 'adopt_memory', target: id, runId: id, reason: null, needed: 1, status: 'open' },
        arguments: { kind: 'procedural', owner: 'bea', key: rule.key, value: rule.value },
        policy: { approverGroup: 'admins', aggregate: null },
        ...{ deadline: candidate.deadline, requester: 'agent' },
      });
      expectProblem(await stack.as('lead').call('GET', `/v1/approvals/${approvalId}`), 403, 'forbidden');
      expectProblem(
        await stack.as('admin', 'globex').call('GET', `/v1/approvals/${approvalId}`),
        404,
        'not_found',
      );
      const old = { decision: 'approve', proposalHash: candidate.proposalHash };
      const refused = await admin.call('POST', `${path}/decisions`, old);
      expectProblem(refused, 409, 'memory_approval');
      expect(refused.body.approvalId).toBe(approvalId);
      for (const who of ['service', 'agent', 'reviewer1', 'lead'] as const)
        expectProblem(await stack.as(who).decide(approval, 'approve'), 403, 'forbidden');
      expectProblem(
        await admin.decide({ ...approval, proposalHash: 'f'.repeat(64) }, 'approve'),
        409,
        'decision_stale',
      );
      const amount = { value: '1.00', currency: 'USD' };
      expectProblem(
        await admin.decide(approval, 'edit', { arguments: { amount } }),
        422,
        'memory_not_editable',
      );
      expect((await agent.call('GET', owned('', 'bea'))).body.items).toEqual([]);

      // A worker that dies in between leaves nothing behind but the wait.
      await stack.killWorkers();
      await stack.startWorker();
      const decided = await admin.decide(approval, 'approve', { comment: 'So be it.' });
      expect([200, 202]).toContain(decided.status);
      const now = async () => (await agent.call('GET', path)).body as Record<string, unknown>;
      await until(async () => (await now())['status'] === 'approved');
      expect(await now()).toMatchObject({ decidedBy: 'admin', value: null, comment: null });
      expectProblem(await admin.decide(approval, 'reject'), 409, 'already_decided');
      expect((await agent.call('GET', owned('', 'bea'))).body.items).toMatchObject([
        { id: (await now())['memoryId'], value: 'Greet first.' },
      ]);
      const workflow = stack.temporal.handle('acme', id);
      await expect(workflow.result()).resolves.toEqual({ candidateId: id, outcome: 'adopted' });
      expect(JSON.stringify(await workflow.fetchHistory())).not.toMatch(
        /R3JlZXQgZmlyc3|Greet first|procedure\/greeting/,
      );
    });

    test('R28, R26: one that nobody decides on runs out after its 14 days, with reminders, and one that is replaced leaves the inbox', async () => {
      const stack = running();
      const rule = {
        kind: 'procedural',
        key: 'procedure/late',
        source: 'inferred',
        explicitUserRequest: false,
      };
      const statusOf = async ({ body }: Answer) => {
        const id = (body.candidateId as string).replace('mcd_', 'apr_mem_');
        return (await stack.as('admin').call('GET', `/v1/approvals/${id}`)).body.status as unknown;
      };
      const first = await propose(statement('dan', { ...rule, value: 'Be late.' }), {}, 'agent');
      await until(async () => (await statusOf(first)) === 'open');
      const second = await propose(statement('dan', { ...rule, value: 'Be later.' }), {}, 'agent');
      await until(async () => (await statusOf(second)) === 'open');
      await stack.temporal.skipTime('acme', second.body.candidateId as string);
      await until(async () => (await statusOf(second)) === 'expired');
      const told = await query(
        stack.database.adminUrl,
        `select template from notifications where run_id = $1 and recipient = 'group:admins'`,
        [second.body.candidateId],
      );
      expect(told.map((row) => (row as { template: string }).template)).toEqual([
        'approval_waiting',
        'approval_waiting',
      ]);
      const list = await stack.as('admin').call('GET', '/v1/memories/candidates?status=expired');
      expect(list.body.items).toMatchObject([{ id: second.body.candidateId, value: null }]);
      await until(async () => (await statusOf(first)) === 'cancelled');
    });
  });
}

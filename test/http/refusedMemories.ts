import { readFileSync } from 'node:fs';
import type { Answer } from '../support/api';
import { findEverywhere } from '../support/leaks';
import type { TestStack } from '../support/stack';
import { expectProblem } from './doorFixture';
import { owned, statement } from './memoryBodies';

interface Ground {
  readonly stack: () => TestStack;
  readonly propose: (body: object, headers?: Record<string, string>) => Promise<Answer>;
}

/** What the gate refuses leaves nothing behind; over a stack that runs already. */
export function refusedMemories({ stack: running, propose }: Ground): void {
  describe('what was refused', () => {
    test('R44: a card number, whatever door it came by, is in no row, no log and no history', async () => {
      const stack = running();
      const card = '4000056655665556';
      const shapes = [
        '4000 0566 5566 5556',
        '4000-0566-5566-5556',
        '４００００５６６５５６６５５５６',
        '4000\u200b05665566\u200b5556',
      ];
      const { body } = await propose(statement('dot'));
      const id = body.memoryId as string;
      const admin = stack.as('admin');
      const service = stack.as('service');
      for (const value of shapes) {
        expectProblem(await propose(statement('dot', { value: `my card: ${value}` })), 403, 'memory_denied');
        expectProblem(await service.call('PATCH', owned(`/${id}`, 'dot'), { value }), 403, 'memory_denied');
        expectProblem(await propose(statement('dot', { kind: 'procedural', value })), 403, 'memory_denied');
      }
      await propose(statement('dot', { key: `card/${card}`, evidence: [{ kind: 'turn', ref: card }] }));
      await propose(statement('dot', { [card]: card, kind: card }));
      await propose(statement(card));
      await propose(statement('dot'), { 'idempotency-key': card });
      expectProblem(await service.call('GET', owned('', 'dot', `&cursor=${card}`)), 422, 'invalid_request');
      await service.call('GET', owned('', card, `&cursor=${card}`));
      await service.call('GET', owned(`/${card}`, 'dot'));
      const comment = `see ${shapes[0] ?? ''}`;
      expectProblem(
        await admin.call('POST', owned(`/${id}/quarantine`, 'dot'), { reason: 'wrong', comment }),
        422,
        'sensitive_text',
      );
      for (const verb of ['quarantine', 'revoke']) {
        const source = { kind: 'turn', ref: card };
        expectProblem(
          await admin.call('POST', `/v1/memories/sources/${verb}`, { source, reason: 'wrong' }),
          422,
          'sensitive_text',
        );
      }
      await stack.as('reviewer1').call('POST', `/v1/memories/candidates/${card}/decisions`, {});

      const paymentId = await stack.provider.charge(5_000);
      const started = await service.startRefund({ paymentId, amount: '20.00' });
      const runId = started.body.runId as string;
      await service.untilPhase(runId, 'completed');
      const [there, gone] = await Promise.all([findEverywhere(stack, runId), findEverywhere(stack, card)]);
      // What is there is found, so finding nothing means something.
      expect(there.rows).toBeGreaterThan(3);
      expect(there.histories).toBe(1);
      expect(gone).toEqual({ rows: 0, histories: 0, logs: 0 });
      expect(readFileSync(stack.api.log, 'utf8')).not.toBe('');
    });
  });
}

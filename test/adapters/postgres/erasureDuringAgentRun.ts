import { newAgentState } from '../../../src/domain/agent/state';
import { until } from '../../support/processes';
import type { LedgerFixture } from './ledgerFixture';

/** What an erasure does about an agent run that is at work; over a database that is there already. */
export function erasureDuringAgentRun(
  fixture: () => LedgerFixture,
  confirmedErasure: (subject: string) => Promise<string>,
): void {
  test('R49: waits for what an agent run is just proposing, which it finds then; afterwards nothing is proposed', async () => {
    const ledger = fixture();
    const owner = 'cus_midrun';
    const runId = `agr_${'1'.repeat(32)}`;
    const state = newAgentState({ runId, tenantId: 'acme', conversationId: 'thr_1', maxStepsPerRun: null });
    const run = { runId, fingerprint: 'f', requester: 'agent', keyId: 'k', state, owner, onBehalfOf: null };
    await ledger.in((unit) => unit.agentRuns.create({ ...run, goal: 'See to it' }));
    const paymentId = await ledger.adopted(10_000);
    const id = await confirmedErasure(owner);
    let erasing: Promise<unknown> | undefined;
    await ledger.in(async (unit) => {
      expect(await unit.agentRuns.holdTexts(runId)).toBe(true);
      erasing = ledger.in((other) => other.personal.eraseRecords(id, owner));
      await until(async () => (await ledger.rows('select 1 from pg_locks where not granted')).length > 0);
      const request = { paymentId, amount: { minor: 100, currency: 'USD' }, reason: 'damaged' as const };
      const refund = { runId: 'run_midrun', idempotencyKey: `${runId}:propose_refund`, fingerprint: 'f' };
      await unit.runs.create({ ...refund, requester: 'agent', paymentId, customer: owner, request });
    });
    expect(await erasing).toMatchObject({ agent_run_texts: 1 });
    expect(await ledger.in((unit) => unit.personal.runsOf(owner, undefined, 10))).toMatchObject([
      { runId: 'run_midrun' },
    ]);
    expect(await ledger.in((unit) => unit.agentRuns.holdTexts(runId))).toBe(false);
    expect(await ledger.in((unit) => unit.agentRuns.withoutTexts())).toEqual([runId]);
    expect(await ledger.in((unit) => unit.agentRuns.withoutTexts(), 'globex')).toEqual([]);
  });
}

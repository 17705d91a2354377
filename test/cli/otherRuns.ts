import { readFileSync } from 'node:fs';
import type { ReplayReport } from '../../src/main/run/replayRuns';
import { unpackArchive } from '../../src/main/run/archive';
import { agentScene, refundOf } from '../agent/agentScene';
import { batchesOf, rowOf } from '../batches/batchFixture';
import type { TestStack } from '../support/stack';
import { eventsOf } from '../workflows/evidence';
import { runCli, type CliRun } from './runCli';

interface Ground {
  readonly stack: () => TestStack;
  /** `countersign run …` */
  readonly run: (
    person: 'service' | 'agent' | 'admin',
    args: string[],
    env?: Record<string, string>,
  ) => Promise<CliRun>;
  readonly file: (name: string) => string;
  readonly keys: Record<string, string>;
}

/** What `countersign run` does with what is no refund; over a stack that runs already. */
export function otherRuns({ stack: running, run, file, keys }: Ground): void {
  describe('of batches, ingestions and agent runs', () => {
    let ids: Record<'batch' | 'ingestion' | 'agent' | 'proposed', string>;
    beforeAll(async () => {
      const stack = running();
      const batches = batchesOf(stack);
      const documents = Array.from({ length: 200 }, (_, n) => ({
        ...{ document: `guide-${n}`, format: 'markdown', text: `# Guide ${n}\n\nSend it back.` },
      }));
      const ingestion = await batches.start(documents, { kind: 'documents' }, 'ingestion-1', 'admin');
      const paused = await batches.order(ingestion.batchId, 'pause', 'admin');
      expect(paused.body).toMatchObject({ paused: { by: 'admin' } });
      const charges = [await stack.provider.charge(10_000), await stack.provider.charge(10_000)];
      const batch = await batches.start(charges.map((charge) => rowOf(charge, '60.00')));
      await batches.untilBatch(batch.batchId, ({ approval }) => approval !== null);
      const { agent, conversation, untilRun } = agentScene(stack);
      const threadId = await conversation(`It broke: ${await stack.provider.charge(12_000)}`, 'cus_run.1');
      const { runId } = await agent.runs.start({ goal: 'Help', threadId, ownerId: 'cus_run.1' });
      const waits = await untilRun(runId, ({ stepStatuses }) => stepStatuses['await_refund'] === 'waiting');
      ids = {
        ...{ batch: batch.batchId, ingestion: ingestion.batchId },
        ...{ agent: runId, proposed: refundOf(waits) },
      };
      await stack.as('service').untilPhase(ids.proposed, 'waiting_approval');
    });

    test('R33: all that are open are replayed against this build, and each by its id', async () => {
      const all = await run('admin', ['replay', '--all-open', '--json'], keys);
      // Besides these four, the refund that waits in this stack.
      expect([all.code, all.json]).toEqual([
        0,
        { ok: true, replayed: 5, differ: 0, failed: 0, executions: [] },
      ]);
      for (const [id, workflowId] of [
        [ids.batch, `refundBatch/acme/${ids.batch}`],
        [ids.agent, `agent/acme/${ids.agent}`],
      ] as const) {
        const one = await run('admin', ['replay', id, '--tenant', 'acme', '--json'], keys);
        const { executions } = one.json as unknown as ReplayReport;
        expect(executions).toMatchObject([{ workflowId, outcome: 'ok' }]);
      }
    });

    test('R37: the timeline has every transition, also beside the history of Temporal; states are of refunds', async () => {
      const shown = await run('service', ['timeline', ids.batch, '--json']);
      expect((shown.json.items as unknown as { event: string }[]).map(({ event }) => event)).toEqual(
        await eventsOf(running(), ids.batch),
      );
      const table = await run('agent', ['timeline', ids.agent]);
      expect(table.stdout).toMatch(/SEQ +TIME +EVENT[^]*agent_run_planned/);
      const beside = await run('agent', ['timeline', ids.agent, '--events']);
      expect(beside.stdout).toMatch(/workflow execution started[^]*agent_run_planned/);
      const at = await run('service', ['timeline', ids.batch, '--at', '1']);
      expect([at.code, at.stderr]).toEqual([2, expect.stringContaining('--at and --diff are of refunds')]);
    });

    test('R33, R37: each is exported as one archive, which proves its audit rows and is replayed offline', async () => {
      for (const [id, contents] of [
        [ids.batch, ['approval.json', 'audit.jsonl', 'batch.json', 'histories/001.json', 'items.jsonl']],
        [ids.agent, ['agent-run.json', 'audit.jsonl', 'histories/001.json']],
      ] as const) {
        const archive = file(`${id}.zip`);
        const written = await run('admin', ['export', id, '--out', archive, '--json']);
        expect([written.code, written.stderr]).toEqual([0, '']);
        expect([...unpackArchive(readFileSync(archive)).texts.keys()].sort()).toEqual(contents);
        const verified = await runCli(['audit', 'verify', '--file', archive, '--json']);
        expect(verified.json).toMatchObject({ ok: true, runs: 1 });
        const offline = await runCli(['run', 'replay', '--file', archive, '--json'], keys);
        expect(offline.json).toMatchObject({ ok: true, replayed: 1 });
      }
    });
  });
}

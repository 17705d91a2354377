import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { Batch } from '../src/ports/batches';
import type { Unit } from '../src/ports/store';

/** The batch whose manifest speaks for this run; undefined where people are asked about the run itself. */
export async function manifestBatchOf(unit: Unit, runId: string): Promise<Batch | undefined> {
  const run = await unit.runs.find(runId);
  if (run === undefined || run.batchId === null) return undefined;
  const batch = await unit.batches.find(run.batchId);
  return batch?.approval === 'manifest' ? batch : undefined;
}

/** Nobody is asked about the run itself; whether the manifest carries it is looked at just before money moves. */
export function carriedByManifest(decision: PolicyDecision, batchId: string): PolicyDecision {
  return {
    ...decision,
    decision: 'automatic',
    needed: 0,
    ruleIds: [...decision.ruleIds, 'approved-manifest'],
    explanation: `People decide on the manifest of batch ${batchId}.`,
  };
}

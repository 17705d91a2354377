import { ApplicationFailure, continueAsNew, uuid4, workflowInfo } from '@temporalio/workflow';
import {
  addCounts,
  isSweepInput,
  type SweepInput,
  type SweepResult,
} from '../src/domain/retention/retention';
import { durably, patient, quick } from './steps';

const batchSize = 200;
const defaultBatches = 100;

/** Takes away what is older than the tenant keeps it, batch after batch until nothing is left, and writes down how much. */
export async function memoryRetention(input: SweepInput): Promise<SweepResult> {
  if (!isSweepInput(input)) throw ApplicationFailure.nonRetryable('that is no sweep', 'invalid_request');
  const { tenant, requestedBy, batchesPerExecution = defaultBatches } = input;
  const sweepId = input.sweepId ?? `swp_${uuid4().replaceAll('-', '')}`;
  let swept = input.swept ?? {};
  for (let batches = 1; ; batches += 1) {
    const batch = await patient.sweepRetention({ tenant, limit: batchSize });
    swept = addCounts(swept, batch.swept);
    if (!batch.more) break;
    if (batches >= batchesPerExecution || workflowInfo().continueAsNewSuggested)
      return continueAsNew<typeof memoryRetention>({ ...input, sweepId, swept });
  }
  await durably(() => quick.closeSweep({ tenant, sweepId, requestedBy, swept }));
  return { sweepId, swept };
}

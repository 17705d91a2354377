import { ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { isIngestInput, type BatchResult, type IngestInput } from '../src/domain/batch/batch';
import { BatchNews } from './batchNews';
import { durably, patient, quick } from './steps';

const documentsAtOnce = 50;
const defaultRounds = 100;
const longestPauseMs = 3_600_000;

/**
 * Thousands of documents as one run, on the rows, the pause and the cancel that batches of refunds have. A document is
 * stored in one transaction with its row, so it goes on with the next one whatever dies, and none is read twice.
 */
export async function ingestKnowledge(input: IngestInput): Promise<BatchResult> {
  if (!isIngestInput(input)) throw ApplicationFailure.nonRetryable('that is no ingestion', 'invalid_request');
  const { tenant, batchId, roundsPerExecution = defaultRounds } = input;
  const news = new BatchNews();
  for (let rounds = 1; ; rounds += 1) {
    const { pace, waiting } = await patient.ingestItems({ tenant, batchId, limit: documentsAtOnce });
    if (pace === 'cancelled' || waiting === 0) break;
    if (pace === 'paused') await news.wait(longestPauseMs);
    if (rounds >= roundsPerExecution || workflowInfo().continueAsNewSuggested)
      return continueAsNew<typeof ingestKnowledge>(input);
  }
  const { runId: epoch } = workflowInfo();
  const closing = { tenant, batchId, state: 'completed' as const, epoch, now: Date.now() };
  const { state } = await durably(() => quick.closeBatch(closing));
  return { batchId, state };
}

import { ApplicationFailure, continueAsNew, sleep, workflowInfo } from '@temporalio/workflow';
import { isErasureInput, type ErasureInput, type ErasureResult } from '../src/domain/erasure/erasure';
import { failureCode, patient } from './steps';

const pageSize = 25;
const longestPauseMs = 3_600_000;
/** While Temporal is deleting what it was asked to; then ever more rarely. */
const shortestPauseMs = 2_000;

/**
 * Erases one person, and looks whether it is true. What can't be erased yet (a refund that waits for people, a legal
 * hold) is waited for, however long that is. No payload of this workflow says who it is.
 */
export async function erasePerson(input: ErasureInput): Promise<ErasureResult> {
  if (!isErasureInput(input)) throw ApplicationFailure.nonRetryable('that is no erasure', 'invalid_request');
  const { tenant, erasureId } = input;
  let pause = shortestPauseMs;
  try {
    for (;;) {
      let after: string | null = '';
      while (after !== null) after = await patient.eraseRuns({ tenant, erasureId, after, limit: pageSize });
      await patient.eraseRecords({ tenant, erasureId });
      const { finished, soon } = await patient.proveErasure({ tenant, erasureId });
      if (finished) return { erasureId, state: 'finished' };
      if (workflowInfo().historyLength > 2_000) return await continueAsNew<typeof erasePerson>(input);
      await sleep(soon ? pause : longestPauseMs);
      pause = Math.min(pause * 2, longestPauseMs);
    }
  } catch (error) {
    if (failureCode(error)?.code !== 'not_started_here') throw error;
    return { erasureId, state: 'gone' };
  }
}

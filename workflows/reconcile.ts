import { ApplicationFailure, continueAsNew, uuid4, workflowInfo } from '@temporalio/workflow';
import type { ErrorCode } from '../src/domain/errors';
import {
  isReconcileInput,
  type Progress,
  type ReconcileInput,
  type ReconcileResult,
} from '../src/domain/reconciliation/difference';
import { durably, failureCode, patient, quick } from './steps';

const defaultPageSize = 100;
const defaultPages = 50;

/**
 * Compares our books with the provider's: its refunds page by page, then our own movements, then what was open before.
 * Where it stands is workflow state, so that it goes on after any death, and continues as new after a number of pages.
 */
export async function reconcile(input: ReconcileInput): Promise<ReconcileResult> {
  if (!isReconcileInput(input))
    throw ApplicationFailure.nonRetryable('that is no reconciliation', 'invalid_request');
  const { tenant, requestedBy, windowDays, pageSize = defaultPageSize } = input;
  const reconciliationId = input.reconciliationId ?? `rec_${uuid4().replaceAll('-', '')}`;
  let at: Progress = input.at ?? { side: 'provider' };
  let pages = 0;
  try {
    if (!input.at) {
      const opening = { tenant, reconciliationId, requestedBy, windowDays, now: Date.now() };
      await durably(() => quick.openReconciliation(opening));
    }
    while (at.side !== 'done' && !longEnough(pages, input)) {
      at = await patient.reconcilePage({ tenant, reconciliationId, at, pageSize });
      pages += 1;
    }
  } catch (error) {
    const failure = failureCode(error);
    if (!failure) throw error;
    return close(tenant, reconciliationId, failure.code);
  }
  if (at.side !== 'done') return continueAsNew<typeof reconcile>({ ...input, reconciliationId, at });
  return close(tenant, reconciliationId);
}

function longEnough(pages: number, { pagesPerExecution = defaultPages }: ReconcileInput): boolean {
  return pages >= pagesPerExecution || workflowInfo().continueAsNewSuggested;
}

async function close(tenant: string, reconciliationId: string, code?: ErrorCode): Promise<ReconcileResult> {
  return durably(() =>
    quick.closeReconciliation({ tenant, reconciliationId, ...(code === undefined ? {} : { code }) }),
  );
}

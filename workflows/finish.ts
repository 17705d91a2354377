import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { refundWorkflowId } from '../src/domain/contract';
import type { RefundResult } from '../src/domain/refund/state';
import { batchChanged } from './batchNews';
import { answerLateDecisions } from './decision';
import type { Desk } from './desk';
import { moneyOf } from './money';
import { durably, quick } from './steps';

interface Ending {
  readonly decidedBy?: string | undefined;
  /** The requester has heard of this outcome already. */
  readonly told?: boolean;
}

/** Tells the outcome, offers it to memory, and closes the books. */
export async function finish(
  desk: Desk,
  result: RefundResult,
  { decidedBy, told = false }: Ending = {},
): Promise<RefundResult> {
  const { tenant, runId, requester, onBehalfOf } = desk.input;
  const endedBy = decidedBy ?? (result.outcome === 'cancelled' ? desk.cancels.first : undefined);
  desk.close();
  await answerLateDecisions(desk);
  const outcome = { tenant, runId, round: desk.round, recipient: requester, result };
  if (!told) await durably(() => quick.notifyRequester(outcome));
  if (result.outcome === 'completed') {
    const { amount, reason } = moneyOf(desk);
    const owner = onBehalfOf ?? requester;
    const refundId = result.refundId === undefined ? {} : { refundId: result.refundId };
    await durably(() => quick.proposeMemory({ tenant, owner, runId, amount, reason, ...refundId }));
  }
  const archive = { tenant, runId, result, epoch: desk.epoch, now: Date.now() };
  await durably(() => quick.archiveRun({ ...archive, ...(endedBy === undefined ? {} : { endedBy }) }));
  await answerLateDecisions(desk);
  desk.enter(result.outcome);
  // Not awaited where there is no batch: one more `await` would reorder what older histories hold.
  if (desk.input.batchId !== undefined) await tellBatch(desk, desk.input.batchId);
  desk.conclude(result);
  return result;
}

/** A batch waits for its rows as its children; one that has waited for people may belong to an earlier execution of it. */
async function tellBatch({ input, approval, reviews }: Desk, batchId: string): Promise<void> {
  if (approval === undefined && reviews === 0) return;
  const batch = getExternalWorkflowHandle(refundWorkflowId(input.tenant, batchId));
  // It may have ended, or be gone: the outcome stands in the database.
  await batch.signal(batchChanged, undefined).catch(() => undefined);
}

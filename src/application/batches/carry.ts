import { leftToRedelivery } from '../../domain/outage';
import type { Batch } from '../../ports/batches';
import type { BatchStart } from '../../ports/engine';
import type { Delivery, Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';

/** What its workflow begins with. Ids and figures only. */
export function startOf({ tenant, batchId, requester, onBehalfOf, asked, cancelledBy }: Batch): BatchStart {
  const changed = cancelledBy === null ? {} : { cancelledBy };
  if (asked === null) return { input: { tenant, batchId }, ...changed };
  const input = {
    ...{ tenant, runId: batchId, paymentId: batchId, requester, arguments: asked },
    ...(onBehalfOf === null ? {} : { onBehalfOf }),
  };
  return { input, ...changed };
}

/** That the workflow is to be started or woken, in the transaction that promises it. */
export async function oweNews(unit: Unit, batchId: string): Promise<void> {
  await unit.outbox.owe(newsOf(batchId));
}

/** A Temporal that does not answer now gets it later. */
export async function carry(
  { store, engine }: Pick<UseCases, 'store' | 'engine'>,
  batch: Batch,
): Promise<void> {
  try {
    await engine.carryBatch(startOf(batch));
  } catch (error) {
    return leftToRedelivery(error);
  }
  await store.inTenant(batch.tenant, (unit) => unit.outbox.done(newsOf(batch.batchId)));
}

function newsOf(batchId: string): Omit<Delivery, 'tenant'> {
  return { runId: batchId, kind: 'batch', ref: 'changed' };
}

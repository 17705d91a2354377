import { CountersignError } from '../../domain/errors';
import { refuseUnlessPermitted } from '../../domain/policy/authorization';
import type { Batch, BatchIntake, StoredRefundItem, TakenIn } from '../../ports/batches';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { begin, inputOf } from '../intake';
import { prepareDocument, storeDocument } from '../knowledge';

type Needs = Pick<UseCases, 'store' | 'authorization'>;

/** How the rows of a batch come in: through the same records as refunds and documents that come alone. */
export function batchIntake(needs: Needs): BatchIntake {
  const { store } = needs;
  return {
    // Whoever pauses or cancels it waits for this row, so that none starts after he was answered.
    takeIn: (tenant, batchId, item) =>
      store.inTenant(tenant, async (unit) => {
        try {
          return await takeIn(needs, unit, startedHere(await unit.batches.share(batchId)), item);
        } catch (error) {
          return leaveOut(unit, batchId, item.row, error);
        }
      }),
    ingest: async (tenant, batchId, { row, document }) => {
      try {
        await store.inTenant(tenant, async (unit) => {
          const { requester } = startedHere(await unit.batches.find(batchId));
          const prepared = prepareDocument(document, requester);
          const { changed } = await storeDocument(unit, { tenant, id: requester }, prepared);
          await unit.batchItems.done(batchId, row, changed ? 'ingested' : 'unchanged');
        });
      } catch (error) {
        await store.inTenant(tenant, (unit) => leaveOut(unit, batchId, row, error));
      }
    },
  };
}

/** Nothing is held yet: the run reads its payment and holds its amount when it begins, as a refund does that came while the provider was away. */
async function takeIn(
  { authorization }: Needs,
  unit: Unit,
  batch: Batch,
  { row, runId, fingerprint, paymentId, refund: { key, request, note } }: StoredRefundItem,
): Promise<TakenIn> {
  const { batchId, requester, onBehalfOf } = batch;
  const asked = { ...request, ...(onBehalfOf === null ? {} : { onBehalfOf }) };
  const known = await unit.runs.byIdempotencyKey(key);
  const run = known && (await unit.runs.find(known.runId));
  if (known && run?.batchId !== batchId) {
    if (!run || known.fingerprint !== fingerprint || run.paymentId !== paymentId)
      throw new CountersignError('idempotency_conflict', 'its key was used for another refund');
    await unit.batchItems.admitted(batchId, row, run.runId, true);
    return { kind: 'known' };
  }
  if (run) {
    await unit.batchItems.admitted(batchId, row, run.runId, false);
    return { kind: 'start', input: inputOf(run) };
  }
  if (batch.paused || batch.cancelledBy !== null) return { kind: 'not_now' };
  await checkProposer({ authorization }, unit, batch, asked);
  const created = {
    ...{ runId, idempotencyKey: key, fingerprint, requester, request: asked, paymentId, batchId },
    ...(note === undefined ? {} : { note }),
    ...(request.customerId === undefined ? {} : { customer: request.customerId }),
  };
  await unit.runs.create(created);
  const begun = await begin(unit, created, false);
  if (!begun) throw new CountersignError('internal', 'a run that was just created is not there');
  await unit.batchItems.admitted(batchId, row, runId, false);
  return { kind: 'start', input: inputOf(begun) };
}

/** As he is now: who may not propose any more proposes nothing through a file that he sent before. */
async function checkProposer(
  { authorization }: Pick<Needs, 'authorization'>,
  unit: Unit,
  { tenant, requester, onBehalfOf }: Batch,
  request: StoredRefundItem['refund']['request'],
): Promise<void> {
  const who = await unit.people.find(requester);
  if (!who) throw new CountersignError('forbidden', 'whoever sent the file is not active any more');
  const refund = { tenant, requester, onBehalfOf, amount: request.amount, request };
  const ask = authorization.under(await unit.policies.newest());
  refuseUnlessPermitted(ask({ who, action: 'propose', refund }), 'this identity may not propose refunds');
}

function startedHere(batch: Batch | undefined): Batch {
  if (!batch) throw new CountersignError('not_started_here');
  return batch;
}

/** A refusal of this row; anything else is tried again. */
async function leaveOut(unit: Unit, batchId: string, row: number, error: unknown): Promise<TakenIn> {
  if (!(error instanceof CountersignError) || error.status >= 500 || error.code === 'not_started_here')
    throw error;
  await unit.batchItems.leaveOut(batchId, row, error.code, error.detail);
  return { kind: 'left_out' };
}

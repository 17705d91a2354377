import { CountersignError, errorCatalogue } from '../src/domain/errors';
import { cancelStep } from '../src/domain/steps';
import type { RefundInput } from '../src/domain/refund/state';
import type { Authorization } from '../src/ports/authorization';
import type { Batch } from '../src/ports/batches';
import type { Unit } from '../src/ports/store';
import { obstacleToManifest } from './batchMandate';
import type { Dependencies } from './dependencies';

export interface RowsToAdmit {
  readonly tenant: string;
  readonly batchId: string;
  /** The most runs that move at the same time. */
  readonly window: number;
  /** Runs of earlier rows that have a workflow now. */
  readonly started: readonly string[];
}

export interface AdmittedRows {
  readonly pace: 'on' | 'paused' | 'cancelled';
  readonly start: readonly RefundInput[];
  /** Runs of a cancelled batch that wait for people: whoever cancelled it cancels them too. */
  readonly cancel: readonly string[];
  readonly cancelledBy: string | null;
  /** Rows that have not started. */
  readonly waiting: number;
  /** Runs that neither wait for a person nor have ended. */
  readonly moving: number;
}

/** The most rows of one step, so that it stays quick. */
const rowsAtOnce = 15;

/**
 * Fills the window: intake rows for the next rows of the batch, each in a transaction of its own. Those that an earlier
 * attempt had taken in, and of which nobody knows yet that they started, are given out again. Where the approval of the
 * manifest carries nothing any more, what has not started never does, and is named.
 */
export function admitBatchItems({
  store,
  batches,
  authorization,
}: Pick<Dependencies, 'store' | 'batches' | 'authorization'>) {
  return async ({ tenant, batchId, window, started }: RowsToAdmit): Promise<AdmittedRows> => {
    const found = await store.inTenant(tenant, async (unit) => {
      const batch = await unit.batches.find(batchId);
      if (!batch) throw new CountersignError('not_started_here');
      await unit.batchItems.started(batchId, started);
      const moving = await unit.batchItems.moving(batchId);
      const again = await unit.batchItems.take(batchId, 'admitted', window);
      const pace = batch.cancelledBy !== null ? 'cancelled' : batch.paused ? 'paused' : 'on';
      // Those given out again move already.
      const free =
        pace === 'on' && batch.state === 'running' ? Math.min(Math.max(window - moving, 0), rowsAtOnce) : 0;
      const ready = await unit.batchItems.count(batchId, 'ready');
      const leftOut = free > 0 && ready > 0 && (await leftOutWithoutMandate(unit, authorization, batch));
      const waiting = leftOut ? 0 : ready;
      const next = free > 0 && waiting > 0 ? await unit.batchItems.take(batchId, 'ready', free) : [];
      const { cancelledBy } = batch;
      const cancel = cancelledBy === null ? [] : await cancelRequested(unit, batchId, cancelledBy);
      return {
        pace,
        moving,
        waiting,
        cancel,
        cancelledBy,
        items: [...again, ...next],
        taken: next.length,
      } as const;
    });
    const taken = await Promise.all(found.items.map((item) => batches.takeIn(tenant, batchId, item)));
    const start = taken.flatMap((one) => (one.kind === 'start' ? [one.input] : []));
    const notNow = taken.filter(({ kind }) => kind === 'not_now').length;
    return {
      pace: found.pace,
      start,
      cancel: found.cancel,
      cancelledBy: found.cancelledBy,
      waiting: found.waiting - found.taken + notNow,
      moving: found.moving + start.length,
    };
  };
}

/** @returns whether the rows that had not started were left out */
async function leftOutWithoutMandate(
  unit: Unit,
  authorization: Authorization,
  batch: Batch,
): Promise<boolean> {
  if (batch.approval !== 'manifest') return false;
  const { batchId } = batch;
  const code = await obstacleToManifest(unit, authorization, batch);
  if (code === undefined) return false;
  await unit.batchItems.leaveOutRest(batchId, code, errorCatalogue[code].meaning);
  await unit.audit.append({
    runId: batchId,
    actor: 'countersign',
    event: 'batch_rest_left_out',
    step: `leave_out_rest:${code}`,
    reason: code,
  });
  return true;
}

/** On record as the door of single refunds has it, which is what a run believes (R29). */
async function cancelRequested(unit: Unit, batchId: string, actor: string): Promise<string[]> {
  const runIds = await unit.batchItems.waitingRuns(batchId, rowsAtOnce);
  for (const runId of runIds)
    await unit.audit.append({ runId, actor, event: 'cancel_requested', step: cancelStep(actor) });
  return runIds;
}

import { randomUUID } from 'node:crypto';
import { hasEnded } from '../../domain/batch/batch';
import { CountersignError } from '../../domain/errors';
import { refuseUnlessPermitted } from '../../domain/policy/authorization';
import { cancelStep } from '../../domain/steps';
import type { Batch, BatchChange } from '../../ports/batches';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import type { UseCases } from '../dependencies';
import { onNewestVersion, versionConflict } from '../versions';
import { carry, oweNews } from './carry';
import { factsOf, viewOf, visible } from './readBatches';
import type { BatchView } from './views';

export const batchOrders = ['pause', 'resume', 'cancel'] as const;
export type BatchOrder = (typeof batchOrders)[number];

/**
 * Pauses, resumes or cancels, by whoever may cancel its refunds. The database says so at once and the workflow reads it
 * before each step, so that no row starts after the answer, also while Temporal is away. Rows that move go on to
 * their end. The same order again changes nothing.
 * @param expectedVersion the version that its sender has seen; where it is another one by now, he is told so (R34)
 * @throws CountersignError not_found, forbidden, version_conflict, batch_ended, batch_not_paused
 */
export async function changeBatch(
  useCases: UseCases,
  principal: Principal,
  batchId: string,
  order: BatchOrder,
  expectedVersion?: number,
): Promise<BatchView> {
  const { store } = useCases;
  const changed = await onNewestVersion(expectedVersion, () =>
    store.inTenant(principal.tenant, (unit) =>
      change(useCases, unit, principal, batchId, order, expectedVersion),
    ),
  );
  if (changed) await carry(useCases, changed);
  return store.inTenant(principal.tenant, async (unit) =>
    viewOf(unit, await visible(useCases, unit, principal, batchId)),
  );
}

/** Whether this identity may do any of these, for as long as the batch goes on. @throws CountersignError not_found, forbidden */
export async function mayChangeBatch(
  { store, authorization }: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  batchId: string,
): Promise<boolean> {
  return store.inTenant(principal.tenant, async (unit) => {
    const batch = await visible({ authorization }, unit, principal, batchId);
    const ask = authorization.under(await unit.policies.newest());
    return !hasEnded(batch.state) && batch.cancelledBy === null && ask(changing(principal, batch)).allowed;
  });
}

/** @returns undefined where it is so already */
async function change(
  needs: UseCases,
  unit: Unit,
  principal: Principal,
  batchId: string,
  order: BatchOrder,
  expectedVersion: number | undefined,
): Promise<Batch | undefined> {
  const batch = await visible(needs, unit, principal, batchId);
  const ask = needs.authorization.under(await unit.policies.newest());
  refuseUnlessPermitted(ask(changing(principal, batch)), `this identity may not ${order} the batch`);
  const seen = expectedVersion ?? batch.version;
  if (batch.version !== seen) throw versionConflict(batch.version);
  const ordered = changeBy(batch, order, principal.id);
  if (ordered === undefined) return undefined;
  if (!(await unit.batches.change(batchId, ordered, seen))) throw versionConflict(seen);
  await oweNews(unit, batchId);
  await unit.audit.append({
    runId: batchId,
    actor: principal.id,
    event: order === 'cancel' ? 'cancel_requested' : `batch_${order}d`,
    step: order === 'cancel' ? cancelStep(principal.id) : `${order}:${randomUUID()}`,
  });
  return unit.batches.find(batchId);
}

/** @returns undefined where it is so already */
function changeBy(batch: Batch, order: BatchOrder, by: string): BatchChange | undefined {
  if (order === 'cancel' && batch.cancelledBy !== null) return undefined;
  if (hasEnded(batch.state) || batch.cancelledBy !== null)
    throw new CountersignError(
      'batch_ended',
      `the batch is ${hasEnded(batch.state) ? batch.state : 'being cancelled'}`,
    );
  switch (order) {
    case 'pause':
      return batch.paused ? undefined : { paused: { by } };
    case 'resume':
      if (!batch.paused) throw new CountersignError('batch_not_paused');
      return { paused: null };
    case 'cancel':
      return { cancelledBy: by, paused: null };
  }
}

function changing(who: Principal, batch: Batch) {
  if (batch.asked === null) return { who, action: 'manage', setting: 'knowledge' } as const;
  return { who, action: 'cancel', refund: factsOf(batch, batch.asked) } as const;
}

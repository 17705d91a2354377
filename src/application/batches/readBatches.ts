import { hasEnded, type BatchCounts, type ItemOutcome } from '../../domain/batch/batch';
import { CountersignError } from '../../domain/errors';
import { refuseUnlessPermitted, type Ask } from '../../domain/policy/authorization';
import type { Batch, BatchFilter, BatchItem } from '../../ports/batches';
import type { Principal } from '../../ports/people';
import type { Unit } from '../../ports/store';
import { notToBeSeen } from '../authorize';
import type { UseCases } from '../dependencies';
import { timelineEntry, type TimelineEntry } from '../views';
import { batchView, itemView, type BatchView, type ItemView } from './views';

export type Needs = Pick<UseCases, 'store' | 'authorization'>;

/** @throws CountersignError not_found, also for another tenant's batch (R38); forbidden */
export async function showBatch(needs: Needs, principal: Principal, batchId: string): Promise<BatchView> {
  return needs.store.inTenant(principal.tenant, async (unit) => {
    const batch = await visible(needs, unit, principal, batchId);
    return viewOf(unit, batch);
  });
}

/** Every transition of the batch itself so far; each row's run has its own. @throws CountersignError not_found, forbidden */
export async function batchTimeline(
  needs: Needs,
  principal: Principal,
  batchId: string,
): Promise<TimelineEntry[]> {
  return needs.store.inTenant(principal.tenant, async (unit) => {
    await visible(needs, unit, principal, batchId);
    return transitionsOf(unit, batchId);
  });
}

/** The batch as it is and then every transition of it so far, for whoever watches it. @throws as `showBatch` */
export async function lookAtBatch(
  needs: Needs,
  principal: Principal,
  batchId: string,
): Promise<{ batch: BatchView; transitions: TimelineEntry[] }> {
  return needs.store.inTenant(principal.tenant, async (unit) => ({
    batch: await viewOf(unit, await visible(needs, unit, principal, batchId)),
    transitions: await transitionsOf(unit, batchId),
  }));
}

async function transitionsOf({ audit }: Unit, batchId: string): Promise<TimelineEntry[]> {
  return (await audit.ofRun(batchId)).map(timelineEntry);
}

/** Newest first; what this identity may see. */
export async function listBatches(
  needs: Needs,
  principal: Principal,
  filter: BatchFilter,
): Promise<{ items: BatchView[]; nextCursor: BatchFilter['cursor'] | null }> {
  return needs.store.inTenant(principal.tenant, async (unit) => {
    const ask = needs.authorization.under(await unit.policies.newest());
    const { items, nextCursor } = await unit.batches.list(filter);
    const views: BatchView[] = [];
    for (const batch of items.filter((one) => mayView(ask, principal, one)))
      views.push(await viewOf(unit, batch));
    return { items: views, nextCursor };
  });
}

/** Rows in the order of the file after row `after`, with what has become of each. */
export async function listItems(
  needs: Needs,
  principal: Principal,
  batchId: string,
  {
    after,
    limit,
    outcome,
  }: { readonly after: number; readonly limit: number; readonly outcome?: ItemOutcome },
): Promise<{ items: ItemView[]; next: number | null }> {
  return needs.store.inTenant(principal.tenant, async (unit) => {
    await visible(needs, unit, principal, batchId);
    const rows = await unit.batches.items(batchId, after, limit + 1, outcome);
    const page = rows.slice(0, limit);
    return { items: page.map(itemView), next: rows.length > limit ? (page.at(-1)?.row ?? null) : null };
  });
}

/** Every row, a page at a time: the result file. */
export async function* itemsOf(
  needs: Needs,
  principal: Principal,
  batchId: string,
): AsyncGenerator<BatchItem[], void, undefined> {
  for (let after = 0; ;) {
    const page = await needs.store.inTenant(principal.tenant, async (unit) => {
      await visible(needs, unit, principal, batchId);
      return unit.batches.items(batchId, after, 1_000);
    });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (page.length < 1_000 || !last) return;
    after = last.row;
  }
}

/** @throws CountersignError not_found, forbidden */
export async function visible(
  { authorization }: Pick<Needs, 'authorization'>,
  unit: Unit,
  principal: Principal,
  batchId: string,
): Promise<Batch> {
  const batch = await unit.batches.find(batchId);
  if (!batch) throw new CountersignError('not_found');
  const ask = authorization.under(await unit.policies.newest());
  refuseUnlessPermitted(ask(viewing(principal, batch)), notToBeSeen);
  return batch;
}

export async function viewOf(unit: Unit, batch: Batch): Promise<BatchView> {
  const counts: BatchCounts = await unit.batches.counts(batch.batchId);
  const stored = await unit.approvals.ofRun(batch.batchId);
  const brake = hasEnded(batch.state) ? undefined : await unit.brakes.engaged();
  return batchView(batch, counts, stored?.approval, brake);
}

function mayView(ask: Ask, who: Principal, batch: Batch): boolean {
  return ask(viewing(who, batch)).allowed;
}

function viewing(who: Principal, batch: Batch) {
  if (batch.asked === null) return { who, action: 'view', setting: 'knowledge' } as const;
  return { who, action: 'view', refund: factsOf(batch, batch.asked) } as const;
}

/** A batch as policy knows refunds: its sum, and the reason that most rows have. */
export function factsOf({ tenant, requester, onBehalfOf }: Batch, asked: NonNullable<Batch['asked']>) {
  return { tenant, requester, onBehalfOf, amount: asked.amount, request: { reason: asked.reason } };
}

import { CountersignError } from '../domain/errors';
import type { Principal } from '../ports/people';
import type { RunFilter } from '../ports/runs';
import type { UseCases } from './dependencies';
import { refundView, timelineEntry, type RefundView, type TimelineEntry } from './views';

/** @throws CountersignError not_found, also for another tenant's run (R38) */
export async function showRefund(
  { store }: UseCases,
  principal: Principal,
  runId: string,
): Promise<RefundView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const run = await unit.runs.find(runId);
    if (!run) throw new CountersignError('not_found');
    return refundView(run, await unit.approvals.ofRun(runId));
  });
}

export async function listRefunds(
  { store }: UseCases,
  principal: Principal,
  filter: RunFilter,
): Promise<{ items: RefundView[]; nextCursor: RunFilter['cursor'] | null }> {
  return store.inTenant(principal.tenant, async (unit) => {
    const { items, nextCursor } = await unit.runs.list(filter);
    return { items: items.map((run) => refundView(run)), nextCursor };
  });
}

export async function refundTimeline(
  { store }: UseCases,
  principal: Principal,
  runId: string,
): Promise<TimelineEntry[]> {
  return store.inTenant(principal.tenant, async (unit) => {
    if (!(await unit.runs.find(runId))) throw new CountersignError('not_found');
    return (await unit.audit.ofRun(runId)).map(timelineEntry);
  });
}

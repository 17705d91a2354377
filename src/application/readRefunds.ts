import { CountersignError } from '../domain/errors';
import { refuseUnlessPermitted } from '../domain/policy/authorization';
import type { Authorization } from '../ports/authorization';
import type { Principal } from '../ports/people';
import type { Run, RunCounts, RunFilter } from '../ports/runs';
import type { Unit } from '../ports/store';
import { notToBeSeen } from './authorize';
import type { UseCases } from './dependencies';
import { refundView, timelineEntry, type RefundView, type TimelineEntry } from './views';

/** @throws CountersignError not_found, also for another tenant's run (R38); forbidden */
export async function showRefund(
  { store, authorization }: UseCases,
  principal: Principal,
  runId: string,
): Promise<RefundView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const run = await visibleRun(unit, authorization, principal, runId);
    return refundView(run, await unit.approvals.ofRun(runId), await unit.brakes.engaged());
  });
}

/** What this identity may see; a page can have fewer than its limit. */
export async function listRefunds(
  { store, authorization }: UseCases,
  principal: Principal,
  filter: RunFilter,
): Promise<{ items: RefundView[]; nextCursor: RunFilter['cursor'] | null }> {
  return store.inTenant(principal.tenant, async (unit) => {
    const { items, nextCursor } = await unit.runs.list(filter);
    const ask = authorization.under(await unit.policies.newest());
    const seen = items.filter((run) => ask({ who: principal, action: 'view', refund: run }).allowed);
    const brake = await unit.brakes.engaged();
    return { items: seen.map((run) => refundView(run, undefined, brake)), nextCursor };
  });
}

/** How many runs there are in each phase, for everybody; counted up to `countedTo`. */
export async function countRefunds({ store }: UseCases, principal: Principal): Promise<RunCounts> {
  return store.inTenant(principal.tenant, ({ runs }) => runs.counts());
}

export async function refundTimeline(
  { store, authorization }: UseCases,
  principal: Principal,
  runId: string,
): Promise<TimelineEntry[]> {
  return store.inTenant(principal.tenant, async (unit) => {
    await visibleRun(unit, authorization, principal, runId);
    return (await unit.audit.ofRun(runId)).map(timelineEntry);
  });
}

/** @throws CountersignError not_found, forbidden */
export async function visibleRun(
  unit: Unit,
  authorization: Authorization,
  principal: Principal,
  runId: string,
): Promise<Run> {
  const run = await unit.runs.find(runId);
  if (!run) throw new CountersignError('not_found');
  const ask = authorization.under(await unit.policies.newest());
  refuseUnlessPermitted(ask({ who: principal, action: 'view', refund: run }), notToBeSeen);
  return run;
}

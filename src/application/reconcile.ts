import { randomUUID } from 'node:crypto';
import { CountersignError } from '../domain/errors';
import { groups } from '../domain/people';
import { checkReviewer } from '../domain/refund/review';
import type { Principal } from '../ports/people';
import type { Difference, DifferenceFilter, ListOf, PageFilter } from '../ports/reconciliations';
import type { Unit } from '../ports/store';
import type { UseCases } from './dependencies';
import { refuseSensitive } from './freeText';
import {
  differenceView,
  reconciliationView,
  type DifferenceView,
  type ReconciliationView,
} from './reconciliationViews';

const dayMs = 24 * 3_600_000;

/**
 * Starts a reconciliation now, besides those of the schedule.
 * @throws CountersignError forbidden, dependency_unavailable
 */
export async function startReconciliation(
  { store, engine }: UseCases,
  principal: Principal,
  windowDays: number,
): Promise<ReconciliationView> {
  const { tenant, id: requestedBy } = principal;
  const id = `rec_${randomUUID().replaceAll('-', '')}`;
  const to = Date.now();
  const row = await store.inTenant(tenant, async (unit) => {
    const { document } = await unit.policies.newest();
    if (!mayStart(principal, document.reviewGroup))
      throw new CountersignError(
        'forbidden',
        `only an administrator or a member of ${document.reviewGroup} starts a reconciliation`,
      );
    await unit.reconciliations.create({ id, requestedBy, from: to - windowDays * dayMs, to });
    return unit.reconciliations.find(id);
  });
  try {
    await engine.reconcile({ tenant, reconciliationId: id, windowDays, requestedBy });
  } catch (error) {
    if (error instanceof CountersignError)
      await store.inTenant(tenant, (unit) => unit.reconciliations.finish(id, 'failed', error.code));
    throw error;
  }
  if (!row) throw new CountersignError('internal');
  return reconciliationView(row);
}

/** What this identity may do about reconciliations in general; a single difference can refuse him still. */
export async function reconciliationRights(
  { store }: UseCases,
  principal: Principal,
): Promise<{ readonly reviewGroup: string; readonly starts: boolean; readonly dismisses: boolean }> {
  const { reviewGroup } = (await store.inTenant(principal.tenant, (unit) => unit.policies.newest())).document;
  return {
    reviewGroup,
    starts: mayStart(principal, reviewGroup),
    dismisses: isReviewer(principal, reviewGroup),
  };
}

function mayStart({ groups: member }: Principal, reviewGroup: string): boolean {
  return [groups.admins, reviewGroup].some((group) => member.includes(group));
}

function isReviewer({ kind, groups: member }: Principal, reviewGroup: string): boolean {
  return kind === 'person' && member.includes(reviewGroup);
}

/** @throws CountersignError not_found, also for another tenant's (R38) */
export async function showReconciliation(
  { store }: UseCases,
  principal: Principal,
  id: string,
): Promise<ReconciliationView> {
  const found = await store.inTenant(principal.tenant, (unit) => unit.reconciliations.find(id));
  if (!found) throw new CountersignError('not_found');
  return reconciliationView(found);
}

export async function listReconciliations(
  { store }: UseCases,
  principal: Principal,
  filter: PageFilter,
): Promise<ListOf<ReconciliationView>> {
  const page = await store.inTenant(principal.tenant, (unit) => unit.reconciliations.list(filter));
  return { ...page, items: page.items.map(reconciliationView) };
}

export async function listDifferences(
  { store }: UseCases,
  principal: Principal,
  filter: DifferenceFilter,
): Promise<ListOf<DifferenceView>> {
  const page = await store.inTenant(principal.tenant, (unit) => unit.differences.list(filter));
  return { ...page, items: page.items.map(differenceView) };
}

/** @throws CountersignError not_found, also for another tenant's (R38) */
export async function showDifference(
  { store }: UseCases,
  principal: Principal,
  id: string,
): Promise<DifferenceView> {
  return store.inTenant(principal.tenant, async (unit) => differenceView(await find(unit, id)));
}

/**
 * A person of the reviewing group has looked at it and needs no more of it; found again with the same figures it stays
 * dismissed. Sent again, it changes nothing.
 * @throws CountersignError in the order 404, 422, 403, 409
 */
export async function dismissDifference(
  useCases: UseCases,
  principal: Principal,
  id: string,
  comment: string,
): Promise<DifferenceView> {
  refuseSensitive('comment', comment);
  const outcome = await useCases.store.inTenant(principal.tenant, async (unit) => {
    const difference = await find(unit, id);
    try {
      await checkMayDismiss(unit, useCases, principal, difference);
      const dismissed = await unit.differences.dismiss(id, principal.id, comment);
      if (!dismissed && !sameDismissal(difference, principal, comment))
        throw new CountersignError('difference_not_open', `the difference is ${difference.status}`, {
          status: difference.status,
        });
      if (dismissed) await audit(unit, difference, principal, 'difference_dismissed', difference.lastSeenAt);
      return differenceView(await find(unit, id));
    } catch (error) {
      // A refused attempt is on the audit log: it is returned, so that this transaction commits.
      if (!(error instanceof CountersignError)) throw error;
      await audit(unit, difference, principal, 'dismissal_refused', Date.now(), error.code);
      return error;
    }
  });
  if (outcome instanceof CountersignError) throw outcome;
  return outcome;
}

async function find(unit: Unit, id: string): Promise<Difference> {
  const difference = await unit.differences.find(id);
  if (!difference) throw new CountersignError('not_found');
  return difference;
}

/** Not whoever asked for the refund that the difference is about. */
async function checkMayDismiss(
  unit: Unit,
  { authorization }: UseCases,
  principal: Principal,
  { runId }: Difference,
): Promise<void> {
  const policy = await unit.policies.newest();
  const { reviewGroup } = policy.document;
  const run = runId === null ? undefined : await unit.runs.find(runId);
  if (run) return checkReviewer(reviewGroup, principal, run, authorization.under(policy));
  if (!isReviewer(principal, reviewGroup))
    throw new CountersignError('forbidden', `only members of ${reviewGroup} settle a difference`);
}

function sameDismissal(
  { dismissedBy, comment: before }: Difference,
  { id }: Principal,
  comment: string,
): boolean {
  return dismissedBy === id && before === comment;
}

/** The chain of the difference itself, since not every one belongs to a run. */
async function audit(
  unit: Unit,
  { id, kind, status, paymentId }: Difference,
  principal: Principal,
  event: string,
  at: number,
  reason?: string,
): Promise<void> {
  await unit.audit.append({
    runId: id,
    actor: principal.id,
    event,
    step: `${event}:${at}`,
    before: { kind, paymentId, status },
    ...(reason === undefined ? {} : { reason }),
  });
}

import { CountersignError } from '../domain/errors';
import type { StoredApproval } from '../ports/approvals';
import type { InboxCounts, InboxDay, InboxFilter, InboxOrder, InboxPosition } from '../ports/inbox';
import type { Principal } from '../ports/people';
import { checkMayView, viewing } from './authorize';
import type { UseCases } from './dependencies';
import { approvalView, type ApprovalView } from './views';

/** @throws CountersignError not_found, also for another tenant's approval (R38); forbidden */
export async function showApproval(
  { store, authorization }: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  approvalId: string,
): Promise<ApprovalView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    checkMayView(principal, stored, authorization.under(await unit.policies.newest()));
    const decisions = await unit.decisions.appliedTo([approvalId]);
    return approvalView(stored, decisions, Date.now(), await unit.brakes.engaged());
  });
}

/** @throws CountersignError not_found, before anything else about a decision is looked at */
export async function requireApproval(
  { store }: UseCases,
  principal: Principal,
  approvalId: string,
): Promise<void> {
  const stored = await store.inTenant(principal.tenant, (unit) => unit.approvals.find(approvalId));
  if (!stored) throw new CountersignError('not_found');
}

export interface InboxQuery {
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
  readonly after: InboxPosition | undefined;
  readonly limit: number;
}

/** What this identity may see; a page can have fewer than its limit. */
export async function listApprovals(
  { store, authorization }: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  query: InboxQuery,
): Promise<{ items: ApprovalView[]; next: InboxPosition | undefined }> {
  const { filter, order, after, limit } = query;
  return store.inTenant(principal.tenant, async (unit) => {
    const { items, next } = await unit.inbox.list(filter, order, after, limit, Date.now());
    const ask = authorization.under(await unit.policies.newest());
    const seen = items.filter((stored) => viewing(principal, stored, ask).allowed);
    const decisions = await unit.decisions.appliedTo(seen.map(({ approval }) => approval.id));
    const [now, brake] = [Date.now(), await unit.brakes.engaged()];
    const viewOf = (stored: StoredApproval) => {
      const own = decisions.filter(({ envelope }) => envelope.approvalId === stored.approval.id);
      return approvalView(stored, own, now, brake);
    };
    return { items: seen.map(viewOf), next };
  });
}

/** How much waits, for everybody, for whoever asks, and soon; counted up to `countedTo`. */
export async function countApprovals({ store }: UseCases, principal: Principal): Promise<InboxCounts> {
  return store.inTenant(principal.tenant, ({ inbox }) => inbox.counts(principal.id, Date.now()));
}

/** So many days are told of. */
const daysTold = 14;

/** What came in and was decided on each of the last days, for everybody; a day is one in UTC. */
export async function inboxDaily({ store }: UseCases, principal: Principal): Promise<InboxDay[]> {
  return store.inTenant(principal.tenant, ({ inbox }) => inbox.daily(daysTold, Date.now()));
}

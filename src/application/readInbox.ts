import { CountersignError } from '../domain/errors';
import type { StoredApproval } from '../ports/approvals';
import type { InboxCounts, InboxFilter, InboxOrder, InboxPosition } from '../ports/inbox';
import type { Principal } from '../ports/people';
import type { UseCases } from './dependencies';
import { approvalView, type ApprovalView } from './views';

/** @throws CountersignError not_found, also for another tenant's approval (R38) */
export async function showApproval(
  { store }: UseCases,
  principal: Principal,
  approvalId: string,
): Promise<ApprovalView> {
  return store.inTenant(principal.tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    return approvalView(stored, await unit.decisions.appliedTo([approvalId]), Date.now());
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

export async function listApprovals(
  { store }: UseCases,
  principal: Principal,
  query: InboxQuery,
): Promise<{ items: ApprovalView[]; next: InboxPosition | undefined }> {
  const { filter, order, after, limit } = query;
  return store.inTenant(principal.tenant, async (unit) => {
    const { items, next } = await unit.inbox.list(filter, order, after, limit, Date.now());
    const decisions = await unit.decisions.appliedTo(items.map(({ approval }) => approval.id));
    const now = Date.now();
    const viewOf = (stored: StoredApproval) => {
      const own = decisions.filter(({ envelope }) => envelope.approvalId === stored.approval.id);
      return approvalView(stored, own, now);
    };
    return { items: items.map(viewOf), next };
  });
}

/** How much waits, for everybody, for whoever asks, and soon; counted up to `countedTo`. */
export async function countApprovals({ store }: UseCases, principal: Principal): Promise<InboxCounts> {
  return store.inTenant(principal.tenant, ({ inbox }) => inbox.counts(principal.id, Date.now()));
}

import { CountersignError } from '../domain/errors';
import type { ApprovalFilter } from '../ports/approvals';
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
    return approvalView(stored);
  });
}

export async function listApprovals(
  { store }: UseCases,
  principal: Principal,
  filter: ApprovalFilter,
): Promise<{ items: ApprovalView[]; nextCursor: ApprovalFilter['cursor'] | null }> {
  return store.inTenant(principal.tenant, async (unit) => {
    const { items, nextCursor } = await unit.approvals.list(filter);
    return { items: items.map(approvalView), nextCursor };
  });
}

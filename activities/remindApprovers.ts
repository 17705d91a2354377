import type { ApprovalState } from '../src/domain/approval/state';
import type { Dependencies } from './dependencies';

export interface Reminder {
  readonly tenant: string;
  readonly runId: string;
  readonly approvalId: string;
  /** Hours after opening. */
  readonly afterHours: number;
  /** The group that this rung of the ladder adds, if any. */
  readonly escalateTo?: string;
}

/** One rung of the ladder: a reminder to the approvers, and the group that escalation adds. Nobody is removed. */
export function remindApprovers({ store }: Pick<Dependencies, 'store'>) {
  return async ({
    tenant,
    runId,
    approvalId,
    afterHours,
    escalateTo,
  }: Reminder): Promise<ApprovalState | null> =>
    store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.lock(approvalId);
      if (stored?.approval.status !== 'open') return stored?.approval ?? null;
      const { approval } = stored;
      const added =
        escalateTo !== undefined && !approval.escalatedTo.includes(escalateTo) ? [escalateTo] : [];
      const next = { ...approval, escalatedTo: [...approval.escalatedTo, ...added] };
      if (added.length > 0) await unit.approvals.save(next, stored.epoch);
      for (const group of [approval.policy.approverGroup, ...next.escalatedTo]) {
        await unit.notifications.tell({
          key: `${runId}:remind:${afterHours}:${group}`,
          runId,
          recipient: `group:${group}`,
          template: 'approval_waiting',
          data: { approvalId, deadline: new Date(approval.deadline).toISOString() },
        });
      }
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: added.length > 0 ? 'escalated' : 'reminded',
        step: `remind:${afterHours}`,
        after: { escalatedTo: next.escalatedTo },
        policyVersion: approval.policy.policyVersion,
      });
      return next;
    });
}

import { grantGrace as extend } from '../src/domain/approval/deadline';
import type { ApprovalState } from '../src/domain/approval/state';
import { CountersignError } from '../src/domain/errors';
import type { Dependencies } from './dependencies';

export interface OutageOver {
  readonly tenant: string;
  readonly runId: string;
  readonly approvalId: string;
  /** When the run could be handled again, ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/** After an outage that policy forgives: the later deadline, once, in the inbox, on the audit log, and told to the groups. */
export function grantGrace({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, approvalId, now }: OutageOver): Promise<ApprovalState> =>
    store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.lock(approvalId);
      if (!stored) throw new CountersignError('not_started_here', 'there is no approval of that id');
      const { approval, epoch } = stored;
      if (approval.status !== 'open' || approval.grace) return approval;
      const next = extend(approval, now);
      const deadline = new Date(next.deadline).toISOString();
      await unit.approvals.save(next, epoch);
      for (const group of new Set([approval.policy.approverGroup, ...approval.escalatedTo])) {
        await unit.notifications.tell({
          key: `${runId}:grace:${group}`,
          runId,
          recipient: `group:${group}`,
          template: 'approval_waiting',
          data: { approvalId, deadline },
        });
      }
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'deadline_extended',
        step: 'grant_grace',
        before: { deadline: new Date(approval.deadline).toISOString() },
        after: { deadline },
        reason: 'an outage made this approval late',
        policyVersion: approval.policy.policyVersion,
      });
      return next;
    });
}

import type { ApprovalState } from '../src/domain/approval/state';
import type { Unit } from '../src/ports/store';

/** The audit row of an approval that people are asked about from here on. */
export async function approvalOpened(unit: Unit, approval: ApprovalState): Promise<void> {
  const { id: approvalId, runId, revision, deadline, policy } = approval;
  await unit.audit.append({
    runId,
    actor: 'countersign',
    event: 'approval_opened',
    step: `publish_approval:${revision}`,
    after: { approvalId, revision, needed: policy.needed, deadline },
    policyVersion: policy.policyVersion,
  });
}

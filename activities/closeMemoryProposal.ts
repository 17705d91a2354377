import { close } from '../src/domain/approval/decide';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { Dependencies } from './dependencies';

export interface ProposalToClose {
  readonly tenant: string;
  readonly candidateId: string;
  readonly outcome: 'rejected' | 'expired' | 'cancelled';
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/** A rule of procedure that is not adopted: its approval is closed, and its text is gone. */
export function closeMemoryProposal({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, candidateId, outcome, epoch, now }: ProposalToClose): Promise<void> =>
    store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.lock(approvalIdOf(candidateId));
      if (!stored) throw new CountersignError('not_started_here');
      const { approval } = stored;
      const { runId, decidedBy, policy } = approval;
      const by = decidedBy?.actor ?? 'countersign';
      if (approval.status === 'open' && outcome !== 'rejected')
        await unit.approvals.save(close(approval, outcome, by, now), epoch);
      const candidate = await unit.memoryReviews.candidate(candidateId);
      if (candidate?.status === 'waiting')
        await unit.memoryReviews.close(
          candidate,
          outcome === 'cancelled' ? 'revoked' : outcome,
          outcome === 'rejected' ? by : null,
        );
      await unit.audit.append({
        runId,
        actor: by,
        event: `memory_${outcome}`,
        step: 'close_memory_proposal',
        after: { candidate: candidate?.status ?? 'erased' },
        policyVersion: policy.policyVersion,
      });
    });
}

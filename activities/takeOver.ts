import { approvalIdOf, refundWorkflowId } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { ApprovalState } from '../src/domain/approval/state';
import { effectKey } from '../src/domain/steps';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';

export interface RunToTakeOver {
  readonly tenant: string;
  readonly runId: string;
  readonly workflowId: string;
  /** The execution that this one goes on from, as Temporal itself says; absent in one that was started by hand. */
  readonly from?: string;
  readonly epoch: string;
}

export interface TakenOver {
  /** Absent where no person was asked so far. */
  readonly approval?: ApprovalState;
  /** Which refund of this run it is. */
  readonly round: number;
  /** The execution that took over; after a reset, another than the one that goes on. */
  readonly by: string;
}

/**
 * What was decided in the execution before becomes this one's, with every decision id that was seen (R35). Only the
 * execution that it was decided in can hand it on, and once: after a reset it is another one, and votes are void (R27).
 */
export function takeOver({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, workflowId, from, epoch }: RunToTakeOver): Promise<TakenOver> => {
    if (from === undefined || workflowId !== refundWorkflowId(tenant, runId))
      throw new CountersignError('not_started_here');
    return store.inTenant(tenant, async (unit) => {
      const round = await roundInForce(unit, runId);
      const stored = await unit.approvals.lock(approvalIdOf(runId));
      if (!stored) return { round, by: epoch };
      if (stored.epoch !== from)
        return { approval: await approvalInEpoch(unit, stored, epoch), round, by: epoch };
      const { approval } = stored;
      await unit.approvals.save(approval, epoch);
      await unit.decisions.takeOver(approval.id, from, epoch);
      await unit.reviews.takeOver(runId, from, epoch);
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'continued',
        step: `take_over:${epoch}`,
        after: { revision: approval.revision, votes: approval.votes.length },
        reason: 'the history had become long',
      });
      return { approval, round, by: epoch };
    });
  };
}

/** A dispute was refused for certain under one key, and the next call goes under another. */
async function roundInForce(unit: Unit, runId: string): Promise<number> {
  for (let round = 1; ; round += 1) {
    const effect = await unit.effects.find(effectKey(runId, 'issue_refund', round));
    if (effect?.state !== 'refused' || effect.errorCode !== 'payment_disputed') return round;
  }
}

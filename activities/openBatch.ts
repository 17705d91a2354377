import { isQuorum } from '../src/domain/approval/decide';
import type { ApprovalState } from '../src/domain/approval/state';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError, type ErrorCode } from '../src/domain/errors';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { manifestHash } from './freezeManifest';

export interface BatchToOpen {
  readonly tenant: string;
  readonly batchId: string;
  readonly epoch: string;
  /** The execution that gave the approval its last vote; another one than `epoch` after a reset. */
  readonly votedIn?: string;
}

export type OpenedBatch =
  | { readonly kind: 'open' }
  /** Reset since people decided: they are asked anew (R27). */
  | { readonly kind: 'ask_again'; readonly approval: ApprovalState }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

/**
 * What people have approved is what is there: the votes as the record has them, and the hash over every row made anew.
 * From here rows start.
 */
export function openBatch({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, batchId, epoch, votedIn }: BatchToOpen): Promise<OpenedBatch> =>
    store.inTenant(tenant, async (unit) => {
      const batch = await unit.batches.lock(batchId);
      const stored = await unit.approvals.lock(approvalIdOf(batchId));
      if (!batch || !stored) throw new CountersignError('not_started_here');
      if (votedIn !== undefined && votedIn !== epoch) {
        await unit.batches.change(batchId, { state: 'waiting_approval' });
        return { kind: 'ask_again', approval: await approvalInEpoch(unit, stored, epoch) };
      }
      const { approval } = stored;
      if (approval.status !== 'approved' || !isQuorum(approval))
        return { kind: 'refused', code: 'batch_approval_void' };
      if (!(await isAsApproved(unit, approval))) return { kind: 'refused', code: 'batch_item_changed' };
      await unit.batches.change(batchId, { state: 'running' });
      await unit.audit.append({
        runId: batchId,
        actor: 'countersign',
        event: 'batch_opened',
        step: `open_batch:${approval.revision}`,
        after: { manifestHash: approval.linesHash, votes: approval.votes.map(({ actor }) => actor) },
        policyVersion: approval.policy.policyVersion,
      });
      return { kind: 'open' };
    });
}

/** Rows that have started are none of those that the hash is made over any more; each is compared when it runs. */
async function isAsApproved(
  unit: Unit,
  { tenant, runId: batchId, linesHash }: ApprovalState,
): Promise<boolean> {
  const begun =
    (await unit.batchItems.count(batchId, 'started')) + (await unit.batchItems.count(batchId, 'admitted'));
  return begun > 0 || manifestHash(tenant, batchId, await unit.batchItems.manifest(batchId)) === linesHash;
}

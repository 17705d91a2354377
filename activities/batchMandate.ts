import { isQuorum, voidVotes } from '../src/domain/approval/decide';
import { amountOf, type ApprovalState } from '../src/domain/approval/state';
import { approvalIdOf } from '../src/domain/contract';
import type { ErrorCode } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { Batch } from '../src/ports/batches';
import type { Unit } from '../src/ports/store';
import type { Authorization } from '../src/ports/authorization';
import { judge } from './evaluatePolicy';
import { policyForManifest } from './freezeManifest';
import { votersNotPermitted, votersStillPermitted } from './standingVotes';

/** Why the approval of its manifest carries no row of a batch any more; undefined where it does. */
export async function obstacleToManifest(
  unit: Unit,
  authorization: Authorization,
  batch: Batch,
): Promise<ErrorCode | undefined> {
  const mandate = await mandateOf(unit, authorization, batch);
  return typeof mandate === 'string' ? mandate : undefined;
}

/**
 * The approval of its manifest, where it carries the rows of a batch; why not, where the votes do not stand, or policy, as
 * it is now, asks for more than they were, or lets too few of those who gave them.
 */
async function mandateOf(
  unit: Unit,
  authorization: Authorization,
  batch: Batch,
): Promise<ApprovalState | ErrorCode> {
  const approval = (await unit.approvals.find(approvalIdOf(batch.batchId)))?.approval;
  if (approval?.linesHash !== batch.manifestHash) return 'batch_item_changed';
  if (approval?.status !== 'approved') return 'batch_approval_void';
  if (!isQuorum(await votersStillPermitted(unit, authorization, approval))) return 'batch_approval_void';
  const newest = await unit.policies.newest();
  if (newest.version === approval.policy.policyVersion) return approval;
  const now = { ...approval, policy: policyForManifest(newest, amountOf(approval)) };
  if (asksForMore(approval.policy, now.policy)) return 'batch_item_stricter';
  const lost = await votersNotPermitted(unit, now, authorization.under(newest));
  return isQuorum(voidVotes(now, lost)) ? approval : 'batch_approval_void';
}

/** Why it does not carry this refund: as above, or this one is another than was frozen, or policy asks for more to it alone. */
export async function obstacleUnderManifest(
  unit: Unit,
  authorization: Authorization,
  batch: Batch,
  {
    runId,
    amount,
    paymentId,
  }: { readonly runId: string; readonly amount: Money; readonly paymentId: string },
): Promise<ErrorCode | undefined> {
  const frozen = await unit.batchItems.ofRun(runId);
  const same =
    frozen?.batchId === batch.batchId &&
    frozen.paymentId === paymentId &&
    frozen.amount.minor === amount.minor &&
    frozen.amount.currency === amount.currency;
  if (!same) return 'batch_item_changed';
  const mandate = await mandateOf(unit, authorization, batch);
  if (typeof mandate === 'string') return mandate;
  const ofItem = await judge(unit, runId, amount, true);
  return asksForMore(mandate.policy, ofItem) ? 'batch_item_stricter' : undefined;
}

export function asksForMore(before: PolicyDecision, now: PolicyDecision): boolean {
  return now.needed > before.needed || (now.oneFrom !== undefined && now.oneFrom !== before.oneFrom);
}

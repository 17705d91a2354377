import { isQuorum } from '../src/domain/approval/decide';
import { approvalIdOf } from '../src/domain/contract';
import { amountOf } from '../src/domain/approval/state';
import type { ErrorCode } from '../src/domain/errors';
import type { Money } from '../src/domain/money/money';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { Batch } from '../src/ports/batches';
import type { Unit } from '../src/ports/store';
import type { Authorization } from '../src/ports/authorization';
import { judge } from './evaluatePolicy';
import { policyForManifest } from './freezeManifest';
import { votersStillPermitted } from './standingVotes';

/**
 * Why the approval of its manifest does not carry this refund: it is another than was frozen, the votes do not stand
 * any more, or policy, as it is now, asks for more than they were. undefined where it does.
 */
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
  const approval = (await unit.approvals.find(approvalIdOf(batch.batchId)))?.approval;
  const same =
    frozen?.batchId === batch.batchId &&
    frozen.paymentId === paymentId &&
    frozen.amount.minor === amount.minor &&
    frozen.amount.currency === amount.currency;
  if (!same || approval?.linesHash !== batch.manifestHash) return 'batch_item_changed';
  if (approval?.status !== 'approved') return 'batch_approval_void';
  const kept = await votersStillPermitted(unit, authorization, approval);
  if (!isQuorum(kept)) return 'batch_approval_void';
  const newest = await unit.policies.newest();
  const ofItem = await judge(unit, runId, amount, true);
  const ofWhole = policyForManifest(newest, amountOf(approval));
  return [ofItem, ofWhole].some((now) => asksForMore(approval.policy, now))
    ? 'batch_item_stricter'
    : undefined;
}

export function asksForMore(before: PolicyDecision, now: PolicyDecision): boolean {
  return now.needed > before.needed || (now.oneFrom !== undefined && now.oneFrom !== before.oneFrom);
}

import { askAnew } from '../src/domain/approval/decide';
import type { ApprovalState } from '../src/domain/approval/state';
import { isOfMoney } from '../src/domain/refund/state';
import type { RiskFacts } from '../src/domain/risk/facts';
import { effectKey } from '../src/domain/steps';
import type { StoredApproval } from '../src/ports/approvals';
import type { Unit } from '../src/ports/store';
import { rehash } from './proposalHash';

/**
 * The approval as it stands in this execution. A reset voids what was decided before it (R27): the amount is held
 * again and a new revision asks again, unless the provider call is journalled already, since then only its outcome
 * counts. @throws CountersignError exceeds_remaining, payment_disputed when the amount can't be held again
 */
export async function approvalInEpoch(
  unit: Unit,
  { approval, epoch: before, candidate }: StoredApproval,
  epoch: string,
): Promise<ApprovalState> {
  const { runId, target, arguments: args, policy } = approval;
  if (before === epoch || (await unit.effects.find(effectKey(runId, 'issue_refund')))) return approval;
  // Of a rule of procedure nothing is left to decide about: it has been adopted, or is gone.
  if (!isOfMoney(args) && candidate?.status !== 'waiting') return approval;
  if (isOfMoney(args)) await unit.ledger.reserve(runId, target, args.amount.minor);
  const next = afterReset(approval, { arguments: args, policy });
  await unit.approvals.save(next, epoch);
  await unit.runs.change(runId, { phase: 'waiting_approval' });
  await unit.audit.append({
    runId,
    actor: 'countersign',
    event: 'votes_voided',
    step: `reset:${next.revision}`,
    before: { revision: approval.revision, votes: approval.votes.length },
    after: { revision: next.revision },
    reason: 'the run was reset',
  });
  return next;
}

/** The same proposal asked anew: another revision, so another hash, and nobody has decided yet. */
export function afterReset(
  approval: ApprovalState,
  { arguments: args, policy }: Pick<ApprovalState, 'arguments' | 'policy'>,
  risk?: RiskFacts,
): ApprovalState {
  const revised = { arguments: args, policy, proposalHash: '', ...(risk === undefined ? {} : { risk }) };
  return rehash(askAnew(approval, revised));
}

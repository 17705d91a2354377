import { isQuorum, voidVotes } from '../src/domain/approval/decide';
import type { ApprovalState } from '../src/domain/approval/state';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { GatePolicy } from '../src/domain/memory/gate';
import { askAbout, type MemoryProposalResult } from '../src/domain/memory/proposal';
import type { StoredApproval } from '../src/ports/approvals';
import type { ReviewedCandidate } from '../src/ports/memoryReviews';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { votersNotPermitted } from './standingVotes';

export interface RuleToAdopt {
  readonly tenant: string;
  readonly candidateId: string;
  readonly epoch: string;
  /** The execution that gave the approval its last vote; another one than `epoch` after a reset. */
  readonly votedIn?: string;
}

export type Adoption =
  | { readonly kind: 'ended'; readonly outcome: MemoryProposalResult['outcome'] }
  /** Reset since people decided, or who decided may do so no more: they are asked anew (R27, R23). */
  | { readonly kind: 'ask_again'; readonly approval: ApprovalState };

/**
 * What was approved becomes a memory, in one transaction with the gate's decision (R42): the votes as they stand now under
 * the newest policy, the very candidate that was approved, and the gate once more, which may be stricter by now or know of
 * a held source or a stronger statement. Done twice, it answers as the first time.
 */
export function adoptMemory({ store, authorization }: Pick<Dependencies, 'store' | 'authorization'>) {
  return async ({ tenant, candidateId, epoch, votedIn }: RuleToAdopt): Promise<Adoption> =>
    store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.lock(approvalIdOf(candidateId));
      if (!stored) throw new CountersignError('not_started_here');
      const candidate = await unit.memoryReviews.candidate(candidateId);
      if (candidate?.status !== 'waiting')
        return { kind: 'ended', outcome: candidate?.status === 'approved' ? 'adopted' : 'refused' };
      if (votedIn !== undefined && votedIn !== epoch)
        return { kind: 'ask_again', approval: await approvalInEpoch(unit, stored, epoch) };
      const newest = await unit.policies.newest();
      const policy = { version: newest.version, ask: authorization.under(newest) };
      const kept = await withStandingVotes(unit, stored, policy);
      if (isQuorum(kept))
        return { kind: 'ended', outcome: await adopt(unit, stored.approval, candidate, policy) };
      await unit.approvals.save(kept, epoch);
      return { kind: 'ask_again', approval: kept };
    });
}

async function withStandingVotes(
  unit: Unit,
  stored: StoredApproval,
  { ask }: GatePolicy,
): Promise<ApprovalState> {
  const { approval } = stored;
  const lost = await votersNotPermitted(unit, approval, askAbout(stored, ask));
  for (const { actor, decisionId } of approval.votes) {
    if (!lost.includes(actor)) continue;
    await unit.decisions.void(approval.id, decisionId);
    await unit.audit.append({
      runId: approval.runId,
      actor: 'countersign',
      event: 'votes_voided',
      step: `adopt_memory:void:${decisionId}`,
      after: { voided: [actor] },
      reason: 'whoever gave it may not decide on this any more',
    });
  }
  return voidVotes(approval, lost);
}

async function adopt(
  unit: Unit,
  { tenant, runId, votes, policy: { policyVersion } }: ApprovalState,
  candidate: ReviewedCandidate,
  policy: GatePolicy,
): Promise<'adopted' | 'refused'> {
  const voter = votes.at(-1);
  if (!voter) throw new RangeError('an approval without a vote');
  const { actor: id, groups } = voter;
  const by = { tenant, id, kind: 'person', groups } as const;
  const decision = await unit.memoryReviews.approve(candidate, by, policy, undefined);
  const { allowed, decisionId, memoryId, ruleIds } = decision;
  await unit.audit.append({
    runId,
    actor: id,
    event: allowed ? 'memory_adopted' : 'memory_refused',
    step: 'adopt_memory',
    after: { decisionId, memoryId, ruleIds },
    policyVersion,
  });
  return allowed ? 'adopted' : 'refused';
}

import { memoryAction } from '../src/domain/refund/state';
import type { ApprovalState } from '../src/domain/approval/state';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import { policyForRule } from '../src/domain/memory/proposal';
import type { ReviewedCandidate } from '../src/ports/memoryReviews';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { approvalOpened } from './approvalOpened';
import { proposalHash } from './proposalHash';

export interface ProposalToOpen {
  readonly tenant: string;
  readonly candidateId: string;
  /** The Temporal execution; another one after a reset. */
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/**
 * Puts a rule of procedure that somebody proposes into the inbox. The approval names it by its hash, and no word of it
 * leaves the database. @returns null where nothing waits any more and nobody was asked
 * @throws CountersignError not_started_here for what no gate has let wait
 */
export function openMemoryProposal({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, candidateId, epoch, now }: ProposalToOpen): Promise<ApprovalState | null> =>
    store.inTenant(tenant, async (unit) => {
      const stored = await unit.approvals.lock(approvalIdOf(candidateId));
      if (stored) return approvalInEpoch(unit, stored, epoch);
      const candidate = await unit.memoryReviews.candidate(candidateId);
      if (candidate?.kind !== 'procedural') throw new CountersignError('not_started_here');
      if (candidate.status !== 'waiting') return null;
      const approval = await proposed(unit, tenant, candidate, now);
      const { owner: customer, proposedFor: onBehalfOf } = candidate;
      await unit.approvals.save(approval, epoch, {
        customer,
        ...(onBehalfOf === null ? {} : { onBehalfOf }),
      });
      await approvalOpened(unit, approval);
      return approval;
    });
}

async function proposed(
  unit: Unit,
  tenant: string,
  { id, proposedBy, proposalHash: hash, ruleIds, deadline }: ReviewedCandidate,
  now: number,
): Promise<ApprovalState> {
  const draft = {
    id: approvalIdOf(id),
    tenant,
    runId: id,
    action: memoryAction,
    target: id,
    revision: 1,
    arguments: { kind: 'procedural' },
    linesHash: hash,
  } as const;
  return {
    ...draft,
    proposalHash: proposalHash(draft),
    status: 'open',
    requester: proposedBy,
    policy: policyForRule(await unit.policies.newest(), ruleIds, deadline - now),
    votes: [],
    proposals: [],
    openedAt: now,
    deadline,
    escalatedTo: [],
  };
}

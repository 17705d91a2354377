import { createHash } from 'node:crypto';
import type { ApprovalState } from '../src/domain/approval/state';

type Hashed = Pick<ApprovalState, 'tenant' | 'runId' | 'id' | 'revision' | 'action' | 'target' | 'arguments'>;

/**
 * Names exactly one revision of one proposal (R21): 64 hexadecimal digits over tenant, run, approval, revision,
 * action, target and effective arguments, in a fixed order.
 */
export function proposalHash(proposal: Hashed): string {
  const { amount, reason } = proposal.arguments;
  const content = [
    'countersign-proposal-1',
    proposal.tenant,
    proposal.runId,
    proposal.id,
    proposal.revision,
    proposal.action,
    proposal.target,
    amount.minor,
    amount.currency,
    reason,
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

export function rehash(approval: ApprovalState): ApprovalState {
  return { ...approval, proposalHash: proposalHash(approval) };
}

import { workflowInfo } from '@temporalio/workflow';
import type { HeldApproval } from '../src/domain/approval/held';
import type { ApprovalState } from '../src/domain/approval/state';
import type { Money } from '../src/domain/money/money';
import { formatAmount } from '../src/domain/money/decimal';
import type { RefundArguments, WorkflowState } from '../src/domain/refund/state';
import type { Desk } from './desk';

/** Queries answer in major units, as every door does. */
export function stateView(state: WorkflowState): unknown {
  const { arguments: args, proposed, approved, executed, result, ...rest } = state;
  return {
    ...rest,
    arguments: argumentsView(args),
    proposed: argumentsView(proposed),
    ...(approved ? { approved: argumentsView(approved) } : {}),
    ...(executed ? { executed: argumentsView(executed) } : {}),
    result: result ? { ...result, ...(result.amount ? { amount: amountView(result.amount) } : {}) } : null,
  };
}

export function approvalView(approval: ApprovalState | undefined): unknown {
  if (!approval) return null;
  const { id, runId, action, target, revision, proposalHash, status, policy, votes, deadline } = approval;
  return {
    id,
    runId,
    action,
    target,
    arguments: argumentsView(approval.arguments),
    revision,
    proposalHash,
    status,
    needed: policy.needed,
    votes: votes.map(({ actor, at }) => ({ actor, at: new Date(at).toISOString() })),
    deadline: new Date(deadline).toISOString(),
  };
}

/** For the check of the inbox: everything, in minor units and ms, as the inbox has to have it. */
export function heldApproval({ state, approval, votedIn, epoch }: Desk): HeldApproval {
  return {
    phase: state.phase,
    epoch,
    firstEpoch: workflowInfo().firstExecutionRunId,
    votedIn: votedIn ?? null,
    approval: approval ?? null,
  };
}

export function argumentsView({ amount, reason }: RefundArguments): unknown {
  return { amount: amountView(amount), reason };
}

export function amountText(amount: Money): string {
  return `${formatAmount(amount)} ${amount.currency}`;
}

function amountView(amount: Money): { value: string; currency: string } {
  return { value: formatAmount(amount), currency: amount.currency };
}

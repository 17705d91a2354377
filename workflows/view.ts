import type { ApprovalState } from '../src/domain/approval/state';
import type { Money } from '../src/domain/money/money';
import { formatAmount } from '../src/domain/money/decimal';
import type { RefundArguments, WorkflowState } from '../src/domain/refund/state';

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

export function argumentsView({ amount, reason }: RefundArguments): unknown {
  return { amount: amountView(amount), reason };
}

export function amountText(amount: Money): string {
  return `${formatAmount(amount)} ${amount.currency}`;
}

function amountView(amount: Money): { value: string; currency: string } {
  return { value: formatAmount(amount), currency: amount.currency };
}

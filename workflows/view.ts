import type { HeldApproval } from '../src/domain/approval/held';
import type { ApprovalState } from '../src/domain/approval/state';
import type { Money } from '../src/domain/money/money';
import { formatAmount } from '../src/domain/money/decimal';
import { isOfMoney, type ApprovedArguments, type WorkflowState } from '../src/domain/refund/state';
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
export function heldApproval({ state, approval, votedIn, epoch, home }: Desk): HeldApproval {
  return {
    phase: state.phase,
    epoch,
    firstEpoch: home,
    votedIn: votedIn ?? null,
    approval: approval ?? null,
  };
}

export function argumentsView(args: ApprovedArguments): unknown {
  if (!isOfMoney(args)) return args;
  const { amount, reason } = args;
  return { amount: amountView(amount), reason };
}

export function amountText(amount: Money): string {
  return `${formatAmount(amount)} ${amount.currency}`;
}

function amountView(amount: Money): { value: string; currency: string } {
  return { value: formatAmount(amount), currency: amount.currency };
}

function what({ arguments: args, target }: WorkflowState): string {
  if (!isOfMoney(args)) return `rule of procedure ${target}`;
  return `${amountText(args.amount)} on ${target}, ${args.reason}`;
}

/** What the Web UI shows beside the run; no personal data. */
export function details({ state, approval }: Desk): string {
  const lines = [
    `**${state.phase}**${state.waitingFor === undefined ? '' : `: waits for ${state.waitingFor}`}`,
    `- ${what(state)}`,
    ...(approval?.status === 'open'
      ? [
          `- approval ${approval.id}, revision ${approval.revision}: ${approval.votes.length} of ${approval.policy.needed} votes`,
          `- open until ${new Date(approval.deadline).toISOString()}`,
          ...(approval.questions ?? []).map(({ by }) => `- a question of ${by} waits for its answer`),
        ]
      : []),
  ];
  return lines.join('\n');
}

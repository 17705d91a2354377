import {
  checkAuthority,
  isQuorum,
  newRevision,
  policyEditor,
  voidVotes,
} from '../src/domain/approval/decide';
import type { ApprovalState, Authority } from '../src/domain/approval/state';
import { CountersignError, type ErrorCode } from '../src/domain/errors';
import type { RefundArguments } from '../src/domain/refund/state';
import { effectKey } from '../src/domain/steps';
import type { Balance } from '../src/ports/ledger';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { judge } from './evaluatePolicy';
import { rehash } from './proposalHash';

export interface ExecutionToAuthorize {
  readonly tenant: string;
  readonly runId: string;
  readonly paymentId: string;
  readonly arguments: RefundArguments;
  /** Absent where policy let the refund pass without a person. */
  readonly approval?: ApprovalState;
  /** The execution that gave the approval its last vote; another one than `epoch` after a reset. */
  readonly votedIn?: string;
  readonly epoch: string;
}

export type Verdict =
  | { readonly verdict: 'execute' }
  | { readonly verdict: 'wait_again'; readonly approval: ApprovalState }
  | { readonly verdict: 'needs_review' | 'refused'; readonly code: ErrorCode; readonly detail: string };

/**
 * The second check, just before money moves: the payment as the provider has it now, roles read afresh, the newest
 * policy (R20, R23). A lost role voids that vote; a stricter policy opens a new revision; either way the run waits.
 */
export function authorizeExecution({ store, payments }: Pick<Dependencies, 'store' | 'payments'>) {
  return async (execution: ExecutionToAuthorize): Promise<Verdict> => {
    const { tenant, runId, paymentId, approval } = execution;
    const payment = await payments.loadPayment(paymentId, 4_000);
    return store.inTenant(tenant, async (unit) => {
      // Once journalled, the call may have moved money: only its outcome counts.
      if (await unit.effects.find(effectKey(runId, 'issue_refund'))) return { verdict: 'execute' };
      const balance = await unit.ledger.adopt(payment);
      const obstacle = obstacleIn(balance);
      if (obstacle) return record(unit, execution, obstacle);
      if (approval) {
        const reopened =
          (await afterReset(unit, execution)) ??
          (await withoutLostAuthority(unit, approval)) ??
          (await underStricterPolicy(unit, approval));
        if (reopened) {
          await unit.approvals.save(reopened, execution.epoch);
          await unit.runs.change(runId, { phase: 'waiting_approval' });
          return record(unit, execution, { verdict: 'wait_again', approval: reopened });
        }
      }
      await unit.runs.change(runId, { phase: 'executing', approved: execution.arguments });
      return record(unit, execution, { verdict: 'execute' });
    });
  };
}

/** The run's own reservation is part of the balance, so nothing may be overdrawn. */
function obstacleIn(balance: Balance): Verdict | undefined {
  if (balance.disputed > 0) {
    return {
      verdict: 'needs_review',
      code: 'payment_disputed',
      detail: 'a dispute was opened after the refund was proposed',
    };
  }
  if (balance.remaining < 0) {
    return {
      verdict: 'refused',
      code: 'exceeds_remaining',
      detail: 'refunds made elsewhere left less than this amount',
    };
  }
  return undefined;
}

/** Votes of the execution before a reset are void, also where the history that was kept has them (R27). */
async function afterReset(
  unit: Unit,
  { approval, votedIn, epoch }: ExecutionToAuthorize,
): Promise<ApprovalState | undefined> {
  if (!approval || votedIn === undefined || votedIn === epoch) return undefined;
  const stored = await unit.approvals.lock(approval.id);
  if (!stored) throw new CountersignError('not_started_here', 'there is no approval of that id');
  return approvalInEpoch(unit, stored, epoch);
}

async function withoutLostAuthority(unit: Unit, approval: ApprovalState): Promise<ApprovalState | undefined> {
  const lost: string[] = [];
  for (const { actor, decisionId, onAuthorityOf } of approval.votes) {
    const who = await unit.people.find(actor);
    const giver = onAuthorityOf === undefined ? undefined : await unit.people.find(onAuthorityOf);
    const given = onAuthorityOf === undefined || (giver && may(approval, giver, 'delegate'));
    const proven = await isStillProven(unit, approval.id, decisionId);
    if (who && given && proven && may(approval, who, 'approve')) continue;
    lost.push(actor);
    await unit.decisions.void(approval.id, decisionId);
  }
  if (lost.length === 0) return undefined;
  const kept = voidVotes(approval, lost);
  return isQuorum(kept) ? undefined : kept;
}

/** What a channel's key had signed counts no more once that key is revoked. */
async function isStillProven(unit: Unit, approvalId: string, decisionId: string): Promise<boolean> {
  const decision = await unit.decisions.find(approvalId, decisionId);
  return decision === undefined || unit.channelKeys.stands(decision.channel);
}

function may(approval: ApprovalState, who: Authority, decision: 'approve' | 'delegate'): boolean {
  try {
    checkAuthority(approval, who, decision);
    return true;
  } catch (error) {
    if (error instanceof CountersignError) return false;
    throw error;
  }
}

async function underStricterPolicy(unit: Unit, approval: ApprovalState): Promise<ApprovalState | undefined> {
  const newest = await unit.policies.newest();
  if (newest.version === approval.policy.policyVersion) return undefined;
  const policy = await judge(unit, approval.runId, approval.arguments.amount, true);
  const stricter =
    policy.needed > approval.policy.needed ||
    (policy.oneFrom !== undefined && policy.oneFrom !== approval.policy.oneFrom);
  if (!stricter) return undefined;
  const reason = `policy ${newest.version} asks for more than ${approval.policy.policyVersion} did`;
  return rehash(
    newRevision(approval, { arguments: approval.arguments, policy, proposalHash: '' }, policyEditor, reason),
  );
}

async function record(
  unit: Unit,
  { runId, approval, epoch }: ExecutionToAuthorize,
  verdict: Verdict,
): Promise<Verdict> {
  const revision = approval?.revision ?? 0;
  await unit.audit.append({
    runId,
    actor: 'countersign',
    event: verdict.verdict === 'execute' ? 'authorized' : `authorization_${verdict.verdict}`,
    step: `authorize:${revision}:${approval?.votes.length ?? 0}:${verdict.verdict}:${epoch}`,
    ...('code' in verdict ? { reason: verdict.code } : {}),
    ...(verdict.verdict === 'wait_again'
      ? { after: { revision: verdict.approval.revision, reason: verdict.approval.revisionReason } }
      : {}),
    ...(approval ? { policyVersion: approval.policy.policyVersion } : {}),
  });
  return verdict;
}

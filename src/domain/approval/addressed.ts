import { CountersignError } from '../errors';
import { formatAmount } from '../money/decimal';
import type { DecisionEnvelope } from './decision';
import { isOfMoney, memoryAction, refundAction, type ApprovedArguments } from '../refund/state';
import type { DecisionKind } from './message';
import type { ApprovalState } from './state';

type Answerable = Pick<
  DecisionEnvelope,
  'approvalId' | 'decision' | 'proposalHash' | 'revision' | 'policyVersion'
>;

/**
 * What can be refused without knowing who decides: another approval, a decided or expired one, a stale hash.
 * The update validator, the HTTP door and the workflow's loop all call this. `receivedAt` in ms.
 * @throws CountersignError not_found, already_decided, approval_expired, decision_stale (R21, R25)
 */
export function checkAddressed(
  approval: ApprovalState,
  decision: Answerable,
  receivedAt: number | undefined,
): void {
  if (decision.approvalId !== approval.id) throw new CountersignError('not_found');
  if (approval.status === 'expired') throw expired(approval);
  if (approval.status !== 'open') {
    const { decidedBy } = approval;
    throw new CountersignError(
      'already_decided',
      `this approval was ${approval.status} already${decidedBy ? ` by ${decidedBy.actor}` : ''}`,
      {
        status: approval.status,
        ...(decidedBy ? { decidedBy: decidedBy.actor, decision: decidedBy.decision } : {}),
      },
    );
  }
  if (receivedAt !== undefined && receivedAt >= approval.deadline) throw expired(approval);
  const differs = whatDiffers(approval, decision);
  if (differs.length === 0) return;
  throw new CountersignError(
    'decision_stale',
    'the decision names another revision of the proposal; look at it again',
    {
      differs,
      currentRevision: approval.revision,
      currentHash: approval.proposalHash,
      currentPolicyVersion: approval.policy.policyVersion,
      arguments: asShown(approval.arguments),
    },
  );
}

/** @throws CountersignError batch_not_editable, memory_not_editable: a manifest and a rule are what they are */
export function checkEditable({ action }: Pick<ApprovalState, 'action'>, decision: DecisionKind): void {
  if (decision !== 'edit' || action === refundAction) return;
  throw new CountersignError(action === memoryAction ? 'memory_not_editable' : 'batch_not_editable');
}

/** Which of the names that bind a decision are not those in force; one that it leaves out binds nothing. */
function whatDiffers(approval: ApprovalState, decision: Answerable): string[] {
  const { policyVersion } = approval.policy;
  const { revision = approval.revision, policyVersion: judgedBy = policyVersion } = decision;
  return [
    ...(decision.proposalHash === approval.proposalHash ? [] : ['proposalHash']),
    ...(revision === approval.revision ? [] : ['revision']),
    ...(judgedBy === policyVersion ? [] : ['policyVersion']),
  ];
}

/** As every door shows arguments; what a rule of procedure says stands in the database alone. */
function asShown(args: ApprovedArguments) {
  if (!isOfMoney(args)) return args;
  const { amount, reason } = args;
  return { amount: { value: formatAmount(amount), currency: amount.currency }, reason };
}

function expired(approval: ApprovalState): CountersignError {
  return new CountersignError('approval_expired', undefined, {
    deadline: new Date(approval.deadline).toISOString(),
  });
}

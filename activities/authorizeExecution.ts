import { policyEditor } from '../src/domain/approval/authority';
import { isQuorum, newRevision, voidVotes } from '../src/domain/approval/decide';
import { amountOf, type ApprovalState } from '../src/domain/approval/state';
import { CountersignError, errorCatalogue, type ErrorCode } from '../src/domain/errors';
import type { RefundArguments } from '../src/domain/refund/state';
import type { Ask } from '../src/domain/policy/authorization';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import type { RiskFacts } from '../src/domain/risk/facts';
import { effectKey } from '../src/domain/steps';
import type { Authorization } from '../src/ports/authorization';
import type { Batch } from '../src/ports/batches';
import type { Balance } from '../src/ports/ledger';
import type { Unit } from '../src/ports/store';
import type { Dependencies } from './dependencies';
import { approvalAfterAll } from './automaticAgain';
import { approvalInEpoch } from './epoch';
import { asksForMore, obstacleUnderManifest } from './batchMandate';
import { judge } from './evaluatePolicy';
import { manifestBatchOf } from './manifestBatch';
import { rehash } from './proposalHash';
import { votersNotPermitted } from './standingVotes';

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
  /** ms since the epoch, the workflow's own clock; absent in runs of 0.1. */
  readonly now?: number;
}

export type Verdict =
  | { readonly verdict: 'execute' }
  | { readonly verdict: 'wait_again'; readonly approval: ApprovalState }
  | Obstacle;

interface Obstacle {
  readonly verdict: 'needs_review' | 'refused';
  readonly code: ErrorCode;
  readonly detail: string;
}

/**
 * The second check, just before money moves: the payment as the provider has it now, roles read afresh, the newest
 * policy (R20, R23). A lost role voids that vote; a stricter policy opens a new revision; either way the run waits.
 */
export function authorizeExecution({
  store,
  payments,
  authorization,
}: Pick<Dependencies, 'store' | 'payments' | 'authorization'>) {
  return async (execution: ExecutionToAuthorize): Promise<Verdict> => {
    const { tenant, runId, paymentId, approval } = execution;
    const payment = await payments.loadPayment(paymentId, 4_000);
    return store.inTenant(tenant, async (unit) => {
      // Once journalled, the call may have moved money: only its outcome counts.
      if (await unit.effects.find(effectKey(runId, 'issue_refund'))) return { verdict: 'execute' };
      const balance = await unit.ledger.adopt(payment);
      const batch = await manifestBatchOf(unit, runId);
      const obstacle =
        obstacleIn(balance) ?? (batch && (await underManifest(unit, authorization, batch, execution)));
      // A row whose payment is disputed now is left out of its batch and named, instead of waiting for a person.
      if (obstacle) return record(unit, execution, batch ? { ...obstacle, verdict: 'refused' } : obstacle);
      if (approval) {
        const reopened =
          (await afterReset(unit, execution)) ??
          (await askAgain(unit, authorization, { ...approval, risk: await pastOf(unit, runId) }));
        if (reopened) {
          await unit.approvals.save(reopened, execution.epoch);
          await unit.runs.change(runId, { phase: 'waiting_approval' });
          return record(unit, execution, { verdict: 'wait_again', approval: reopened });
        }
      }
      const asked = approval || batch ? undefined : await askAfterAll(unit, authorization, execution);
      if (asked) return record(unit, execution, { verdict: 'wait_again', approval: asked });
      await unit.runs.change(runId, { phase: 'executing', approved: execution.arguments });
      return record(unit, execution, { verdict: 'execute' });
    });
  };
}

async function underManifest(
  unit: Unit,
  authorization: Authorization,
  batch: Batch,
  { runId, paymentId, arguments: { amount } }: ExecutionToAuthorize,
): Promise<Obstacle | undefined> {
  const code = await obstacleUnderManifest(unit, authorization, batch, { runId, paymentId, amount });
  return code && { verdict: 'refused', code, detail: errorCatalogue[code].meaning };
}

async function askAfterAll(
  unit: Unit,
  authorization: Authorization,
  execution: ExecutionToAuthorize,
): Promise<ApprovalState | undefined> {
  const { now } = execution;
  return now === undefined ? undefined : approvalAfterAll(unit, authorization, { ...execution, now });
}

/** The run's own reservation is part of the balance, so nothing may be overdrawn. */
function obstacleIn(balance: Balance): Obstacle | undefined {
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

/** Why people have to be asked again, as the approval that asks them; undefined where their answer stands. */
async function askAgain(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
): Promise<ApprovalState | undefined> {
  const ask = authorization.under(await unit.policies.published(approval.policy.policyVersion));
  const lost = await votersNotPermitted(unit, approval, ask);
  for (const { actor, decisionId } of approval.votes) {
    if (lost.includes(actor)) await unit.decisions.void(approval.id, decisionId);
  }
  const kept = voidVotes(approval, lost);
  return isQuorum(kept) ? underStricterPolicy(unit, authorization, kept) : kept;
}

async function underStricterPolicy(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
): Promise<ApprovalState | undefined> {
  const newest = await unit.policies.newest();
  if (newest.version === approval.policy.policyVersion) return undefined;
  const policy = await judge(unit, approval.runId, amountOf(approval), true);
  const ask = authorization.under(await unit.policies.published(policy.policyVersion));
  const reason =
    moreThanBefore(approval.policy, policy) ?? (await permitsFewer(unit, { ...approval, policy }, ask));
  if (reason === undefined) return undefined;
  return rehash(
    newRevision(approval, { arguments: approval.arguments, policy, proposalHash: '' }, policyEditor, reason),
  );
}

function moreThanBefore(before: PolicyDecision, now: PolicyDecision): string | undefined {
  if (!asksForMore(before, now)) return undefined;
  return `policy ${now.policyVersion} asks for more than ${before.policyVersion} did`;
}

/** Whether a vote that was given counts no longer, and those that still do are too few. */
async function permitsFewer(unit: Unit, approval: ApprovalState, ask: Ask): Promise<string | undefined> {
  const lost = await votersNotPermitted(unit, approval, ask);
  if (lost.length === 0 || isQuorum(voidVotes(approval, lost))) return undefined;
  return `policy ${approval.policy.policyVersion} does not let ${lost.join(' and ')} approve this any more`;
}

/** As it is now: what was known when people decided may have changed. */
function pastOf(unit: Unit, runId: string): Promise<RiskFacts> {
  return unit.history.factsOf(runId, Date.now());
}

function askedAgain({ revision, revisionReason: reason, votes, policy }: ApprovalState) {
  return { revision, reason, votes: votes.map(({ actor }) => actor), needed: policy.needed };
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
    ...(verdict.verdict === 'execute' ? { after: { risk: await pastOf(unit, runId) } } : {}),
    ...(verdict.verdict === 'wait_again' ? { after: askedAgain(verdict.approval) } : {}),
    ...(approval ? { policyVersion: approval.policy.policyVersion } : {}),
  });
  return verdict;
}

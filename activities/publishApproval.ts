import { reviewerFacts } from '../src/domain/approval/facts';
import type { ApprovalState } from '../src/domain/approval/state';
import { approvalIdOf } from '../src/domain/contract';
import { CountersignError } from '../src/domain/errors';
import type { PolicyDecision } from '../src/domain/policy/evaluate';
import { refundAction, type RefundArguments, type RefundInput } from '../src/domain/refund/state';
import type { RiskFacts } from '../src/domain/risk/facts';
import { effectKey } from '../src/domain/steps';
import type { Run } from '../src/ports/runs';
import type { Unit } from '../src/ports/store';
import { approvalOpened } from './approvalOpened';
import type { Dependencies } from './dependencies';
import { afterReset } from './epoch';
import { linesHash, proposalHash } from './proposalHash';

const hourMs = 3_600_000;

export interface ApprovalToPublish {
  readonly input: Pick<RefundInput, 'tenant' | 'runId' | 'requester' | 'onBehalfOf'>;
  readonly paymentId: string;
  readonly arguments: RefundArguments;
  readonly policy: PolicyDecision;
  /** The Temporal execution; another one after a reset. */
  readonly epoch: string;
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
}

/** Puts the proposal into the inbox. Published again after a reset, it is a new revision: old hashes are void (R27). */
export function publishApproval({ store }: Pick<Dependencies, 'store'>) {
  return async (publish: ApprovalToPublish): Promise<ApprovalState> => {
    return store.inTenant(publish.input.tenant, (unit) => publishIn(unit, publish));
  };
}

/** The same within a transaction. */
export async function publishIn(unit: Unit, publish: ApprovalToPublish): Promise<ApprovalState> {
  const { input, epoch } = publish;
  const existing = await unit.approvals.lock(approvalIdOf(input.runId));
  if (existing?.epoch === epoch) return existing.approval;
  // Money may have moved already: the run goes on to look up its outcome, on what was approved then.
  if (existing && (await unit.effects.find(effectKey(input.runId, 'issue_refund')))) return existing.approval;
  if (existing) await unit.ledger.changeReservation(input.runId, publish.arguments.amount.minor);
  const run = await unit.runs.find(input.runId);
  if (!run) throw new CountersignError('internal', 'an approval needs a run');
  const risk = await unit.history.factsOf(input.runId, Date.now());
  const approval = existing
    ? afterReset(existing.approval, publish, risk)
    : { ...opened(publish, linesHash(run.lines), risk), ...askedBefore(run) };
  await unit.approvals.save(approval, epoch, await factsOf(unit, run, publish.paymentId));
  await unit.runs.change(input.runId, { phase: 'waiting_approval' });
  await approvalOpened(unit, approval);
  return approval;
}

function opened(
  { input, paymentId, arguments: args, policy, now }: ApprovalToPublish,
  hashOfLines: string | undefined,
  risk: RiskFacts,
): ApprovalState {
  const draft = {
    id: approvalIdOf(input.runId),
    tenant: input.tenant,
    runId: input.runId,
    action: refundAction,
    target: paymentId,
    revision: 1,
    arguments: args,
    ...(hashOfLines === undefined ? {} : { linesHash: hashOfLines }),
  } as const;
  return {
    ...draft,
    proposalHash: proposalHash(draft),
    status: 'open',
    requester: input.requester,
    ...(input.onBehalfOf === undefined ? {} : { onBehalfOf: input.onBehalfOf }),
    policy,
    votes: [],
    proposals: [{ revision: 1, by: input.requester, minor: args.amount.minor }],
    openedAt: now,
    deadline: now + policy.expiryHours * hourMs,
    escalatedTo: [],
    risk,
  };
}

/** Whoever asked for the money in the run that this one was forked from counts as asking here too (R23, R27). */
function askedBefore({ request: { askedBy = [] } }: Run): Pick<ApprovalState, 'alsoFor'> {
  return askedBy.length === 0 ? {} : { alsoFor: askedBy };
}

async function factsOf(unit: Unit, run: Run, paymentId: string): Promise<Record<string, unknown>> {
  const balance = await unit.ledger.find(paymentId);
  if (!balance) throw new CountersignError('internal', 'an approval needs a balance');
  return reviewerFacts(run, balance);
}

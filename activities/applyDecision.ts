import { checkAuthority } from '../src/domain/approval/authority';
import { approve, checkAddressed, edit, reject } from '../src/domain/approval/decide';
import { applyEdit, refusal, type DecisionEnvelope } from '../src/domain/approval/decision';
import type { DecisionAnswer, DecisionMessage } from '../src/domain/approval/message';
import type { ApprovalState, Authority } from '../src/domain/approval/state';
import { CountersignError } from '../src/domain/errors';
import type { Authorization } from '../src/ports/authorization';
import type { Unit } from '../src/ports/store';
import { decisionOnRecord, type OnRecord } from './decisionOnRecord';
import type { Dependencies } from './dependencies';
import { approvalInEpoch } from './epoch';
import { judge } from './evaluatePolicy';
import { rehash } from './proposalHash';

export interface DecisionToApply {
  readonly tenant: string;
  readonly runId: string;
  readonly approvalId: string;
  readonly epoch: string;
  readonly message: DecisionMessage;
}

export interface AppliedDecision {
  readonly answer: DecisionAnswer;
  readonly approval: ApprovalState;
  /** The execution that applied it: after a reset, another than the one that goes on. */
  readonly epoch: string;
}

/**
 * One decision, in one transaction: who he is and may do, what it changes, the inbox, the answer and the audit
 * row. Applied twice, it answers as the first time. A refusal changes nothing and is on record.
 */
export function applyDecision(dependencies: Pick<Dependencies, 'store' | 'signatures' | 'authorization'>) {
  const { store, authorization } = dependencies;
  return async (apply: DecisionToApply): Promise<AppliedDecision> => {
    const found = await decisionOnRecord(dependencies, apply);
    return store.inTenant(apply.tenant, async (unit) => ({
      ...(await answer(unit, authorization, apply, found)),
      epoch: apply.epoch,
    }));
  };
}

async function answer(
  unit: Unit,
  authorization: Authorization,
  apply: DecisionToApply,
  found: OnRecord,
): Promise<Omit<AppliedDecision, 'epoch'>> {
  const stored = await unit.approvals.lock(apply.approvalId);
  if (!stored) throw new CountersignError('not_started_here', 'there is no approval of that id');
  let current = stored.approval;
  try {
    current = await approvalInEpoch(unit, stored, apply.epoch);
    if (!found.envelope) return { answer: found.answer, approval: current };
    const { envelope } = found;
    const before = await unit.decisions.find(envelope.approvalId, envelope.decisionId);
    if (before?.answer && (before.epoch === null || before.epoch === apply.epoch)) {
      return { answer: before.answer, approval: current };
    }
    const who = await deciderOf(unit, envelope);
    if (before?.answer) throw new CountersignError('decision_stale', 'the run was reset after this decision');
    const next = await conclude(unit, authorization, current, envelope, who);
    await unit.approvals.save(next, apply.epoch);
    return {
      answer: await answered(unit, apply, envelope, { accepted: true }, current, next),
      approval: next,
    };
  } catch (error) {
    if (!(error instanceof CountersignError) || error.retry === 'retry') throw error;
    return {
      answer: found.envelope
        ? await answered(unit, apply, found.envelope, refusal(error), current, current)
        : found.answer,
      approval: current,
    };
  }
}

async function deciderOf(unit: Unit, envelope: DecisionEnvelope): Promise<Authority> {
  const who = await unit.people.find(envelope.actor);
  if (!who) throw new CountersignError('forbidden', 'nobody active has that name');
  return who;
}

async function conclude(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
  envelope: DecisionEnvelope,
  who: Authority,
): Promise<ApprovalState> {
  checkAddressed(approval, envelope, envelope.receivedAt);
  const ask = authorization.under(await unit.policies.published(approval.policy.policyVersion));
  checkAuthority(approval, who, envelope.decision, ask);
  switch (envelope.decision) {
    case 'approve':
      return approve(approval, envelope, who);
    case 'reject':
      return reject(approval, envelope, who);
    case 'edit':
      return revise(unit, authorization, approval, envelope, who);
  }
}

/** An edit is validated like a new proposal: schema, balance, policy over the aggregate (R22). */
async function revise(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
  envelope: DecisionEnvelope,
  who: Authority,
): Promise<ApprovalState> {
  const args = applyEdit(approval.arguments, envelope.arguments ?? {});
  await unit.ledger.changeReservation(approval.runId, args.amount.minor);
  const policy = await judge(unit, approval.runId, args.amount, true);
  const revised = { arguments: args, policy, proposalHash: '' };
  const ask = authorization.under(await unit.policies.published(policy.policyVersion));
  return rehash(edit(approval, envelope, who, revised, ask));
}

async function answered(
  unit: Unit,
  { runId, epoch }: DecisionToApply,
  envelope: DecisionEnvelope,
  answer: DecisionAnswer,
  before: ApprovalState,
  after: ApprovalState,
): Promise<DecisionAnswer> {
  await unit.decisions.answer(envelope.approvalId, envelope.decisionId, answer, epoch);
  await unit.audit.append({
    runId,
    actor: envelope.actor,
    event: answer.accepted ? `decision_${envelope.decision}` : 'decision_refused',
    step: `apply_decision:${envelope.decisionId}:${epoch}`,
    before: summary(before),
    after: summary(after),
    ...(answer.code === undefined ? {} : { reason: answer.code }),
    policyVersion: after.policy.policyVersion,
  });
  return answer;
}

function summary({
  revision,
  proposalHash,
  status,
  votes,
  arguments: args,
}: ApprovalState): Record<string, unknown> {
  return { revision, proposalHash, status, votes: votes.map((v) => v.actor), amount: args.amount };
}

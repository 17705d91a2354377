import { applyEdit, refusal, spokenIn, type DecisionEnvelope } from '../src/domain/approval/decision';
import { checkEvidence } from '../src/domain/approval/evidence';
import { answeredBetween } from '../src/domain/approval/handling';
import { isSpoken, type DecisionAnswer, type DecisionMessage } from '../src/domain/approval/message';
import type { ApprovalState, Authority, RevisedProposal } from '../src/domain/approval/state';
import { checkTakeable, transition, type Known } from '../src/domain/approval/transition';
import { CountersignError } from '../src/domain/errors';
import { askAbout, checkStillProposed } from '../src/domain/memory/proposal';
import { isOfMoney, ofMoney } from '../src/domain/refund/state';
import type { StoredApproval } from '../src/ports/approvals';
import type { Authorization } from '../src/ports/authorization';
import type { Unit } from '../src/ports/store';
import { decisionOnRecord, type OnRecord } from './decisionOnRecord';
import { decisionNews } from './decisionNews';
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
    checkEvidence(stored.facts, envelope.evidenceSeen);
    if (isSpoken(envelope.decision) && before?.comment === undefined) {
      throw new CountersignError('invalid_request', 'what it says is not on record');
    }
    const next = await conclude(unit, authorization, { ...stored, approval: current }, envelope, who);
    await unit.approvals.save(next, apply.epoch);
    for (const news of decisionNews(envelope, current, next)) await unit.notifications.tell(news);
    const accepted = acceptance(envelope, current, next);
    return { answer: await answered(unit, apply, envelope, accepted, current, next), approval: next };
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

/** An answer says which question it was to. */
function acceptance(envelope: DecisionEnvelope, before: ApprovalState, after: ApprovalState): DecisionAnswer {
  if (envelope.decision !== 'answer_info') return { accepted: true };
  const [question] = answeredBetween(before, after);
  return { accepted: true, details: { questionId: question?.id } };
}

async function deciderOf(unit: Unit, envelope: DecisionEnvelope): Promise<Authority> {
  const who = await unit.people.find(envelope.actor);
  if (!who) throw new CountersignError('forbidden', 'nobody active has that name');
  return who;
}

async function conclude(
  unit: Unit,
  authorization: Authorization,
  stored: StoredApproval,
  envelope: DecisionEnvelope,
  who: Authority,
): Promise<ApprovalState> {
  const { approval } = stored;
  const published = await unit.policies.published(approval.policy.policyVersion);
  const ask = askAbout(stored, authorization.under(published));
  checkTakeable(approval, envelope, who, ask);
  checkStillProposed(stored.candidate);
  const known = await knownFor(unit, authorization, approval, envelope);
  const next = transition(approval, envelope, who, { ask, ...known });
  return envelope.decision === 'edit' ? rehash(next) : next;
}

async function knownFor(
  unit: Unit,
  authorization: Authorization,
  approval: ApprovalState,
  envelope: DecisionEnvelope,
): Promise<Omit<Known, 'ask'>> {
  if (envelope.decision === 'edit') {
    const revised = await revise(unit, approval, envelope);
    const judgedBy = await unit.policies.published(revised.policy.policyVersion);
    return { revised, askOfRevised: authorization.under(judgedBy) };
  }
  if (envelope.decision !== 'delegate' || envelope.to === undefined) return {};
  const recipient = await unit.people.find(envelope.to);
  return recipient ? { recipient } : {};
}

/** An edit is validated like a new proposal: schema, balance, policy over the aggregate (R22). */
async function revise(
  unit: Unit,
  approval: ApprovalState,
  envelope: DecisionEnvelope,
): Promise<RevisedProposal> {
  const args = applyEdit(ofMoney(approval.arguments), envelope.arguments ?? {});
  await unit.ledger.changeReservation(approval.runId, args.amount.minor);
  const policy = await judge(unit, approval.runId, args.amount, true);
  const risk = await unit.history.factsOf(approval.runId, Date.now());
  return { arguments: args, policy, proposalHash: '', risk };
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
    after: { ...summary(after), ...said(envelope) },
    ...reasonOf(answer, envelope),
    ...spokenIn(envelope),
    policyVersion: after.policy.policyVersion,
  });
  return answer;
}

/** Ids, figures and times only: what people wrote stays with the decision. */
function summary(approval: ApprovalState): Record<string, unknown> {
  const { revision, proposalHash, status, votes, arguments: args, deadline, escalatedTo, policy } = approval;
  const { questions = [], delegations = [], claim } = approval;
  return {
    revision,
    proposalHash,
    status,
    votes: votes.map((v) => v.actor),
    ...(isOfMoney(args) ? { amount: args.amount, refundReason: args.reason } : {}),
    needed: policy.needed,
    deadline,
    ...(escalatedTo.length > 0 ? { escalatedTo } : {}),
    ...(questions.length > 0 ? { questions: questions.map((q) => q.id) } : {}),
    ...(delegations.length > 0 ? { delegations: delegations.map(({ from, to }) => ({ from, to })) } : {}),
    ...(claim ? { claim } : {}),
  };
}

function said({ to, questionId, evidenceSeen }: DecisionEnvelope): Record<string, unknown> {
  return {
    ...(to === undefined ? {} : { to }),
    ...(questionId === undefined ? {} : { questionId }),
    ...(evidenceSeen === undefined ? {} : { evidenceSeen }),
  };
}

function reasonOf(answer: DecisionAnswer, { reasonCode }: DecisionEnvelope): { reason?: string } {
  const reason = answer.code ?? reasonCode;
  return reason === undefined ? {} : { reason };
}

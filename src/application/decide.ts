import { checkAddressed } from '../domain/approval/addressed';
import {
  decisionContent,
  refusal,
  spokenIn,
  type DecisionBody,
  type DecisionEnvelope,
} from '../domain/approval/decision';
import type { DecisionAnswer } from '../domain/approval/message';
import type { ApprovalState } from '../domain/approval/state';
import { CountersignError } from '../domain/errors';
import { leftToRedelivery } from '../domain/outage';
import type { Principal } from '../ports/people';
import { auditRefusal, checkDecision } from './checkDecision';
import { workerPatienceMs, type UseCases } from './dependencies';
import { showApproval } from './readInbox';
import type { ApprovalView } from './views';

export type DecisionOutcome =
  | { readonly status: 'applied'; readonly approval: ApprovalView }
  /** On record and owed to the run; no worker has applied it yet. */
  | { readonly status: 'recorded'; readonly decisionId: string };

/** When a decision came to the door, and how long that waits for a worker, ms; 0: it is on record, and re-delivered. */
export interface Receipt {
  readonly receivedAt: number;
  readonly patienceMs: number;
}

/**
 * One person's decision. It is recorded before it is delivered, so an acknowledged decision survives the death of
 * everything; the workflow decides, and its answer is the answer.
 * @throws CountersignError in the order 404, 422, 403, 409
 */
export async function decide(
  useCases: UseCases,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
  channel: string,
  { receivedAt, patienceMs }: Receipt = { receivedAt: Date.now(), patienceMs: workerPatienceMs },
): Promise<DecisionOutcome> {
  const { approval, envelope } = await checkDecision(useCases, principal, approvalId, body, receivedAt);
  const known = await recordOnce(useCases, approval, envelope, body.comment, channel);
  if (known) return answerAgain(useCases, principal, envelope, known, patienceMs);
  return deliver(useCases, principal, envelope, patienceMs);
}

async function recordOnce(
  useCases: UseCases,
  approval: ApprovalState,
  envelope: DecisionEnvelope,
  comment: string | undefined,
  channel: string,
): Promise<DecisionAnswer | 'recorded' | undefined> {
  const content = decisionContent(envelope);
  const { approvalId, decisionId, runId } = envelope;
  const result = await useCases.store.inTenant(envelope.tenant, async (unit) => {
    const before = await unit.decisions.find(approvalId, decisionId);
    if (before && before.content !== content) return new CountersignError('decision_conflict');
    if (before && before.status !== 'voided' && before.status !== 'signed') {
      return before.answer ?? ('recorded' as const);
    }
    try {
      checkAddressed(approval, envelope, envelope.receivedAt);
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      await auditRefusal(unit, approval, envelope.actor, error);
      return error;
    }
    await unit.decisions.record({ envelope, content, channel }, comment);
    await unit.outbox.owe({ runId, kind: 'decision', ref: decisionId });
    await unit.audit.append({
      runId,
      actor: envelope.actor,
      event: 'decision_received',
      step: `decision_received:${decisionId}${before ? `:${envelope.receivedAt}` : ''}`,
      after: { decision: envelope.decision, revision: approval.revision, decisionId, channel },
      ...spokenIn(envelope),
    });
    return undefined;
  });
  if (result instanceof CountersignError) throw result;
  return result;
}

/** The same decision again answers as the first time. */
async function answerAgain(
  useCases: UseCases,
  principal: Principal,
  envelope: DecisionEnvelope,
  known: DecisionAnswer | 'recorded',
  patienceMs: number,
): Promise<DecisionOutcome> {
  if (known === 'recorded') return deliver(useCases, principal, envelope, patienceMs);
  if (!known.accepted) throw errorOf(known);
  return { status: 'applied', approval: await showApproval(useCases, principal, envelope.approvalId) };
}

async function deliver(
  useCases: UseCases,
  principal: Principal,
  envelope: DecisionEnvelope,
  patienceMs: number,
): Promise<DecisionOutcome> {
  const { tenant, runId, approvalId, decisionId, decision, proposalHash } = envelope;
  if (patienceMs <= 0) return { status: 'recorded', decisionId };
  const message = { kind: 'recorded' as const, approvalId, decisionId, decision, proposalHash };
  const reply = await useCases.engine.decide(tenant, runId, message, patienceMs);
  if (reply.kind === 'no_answer') {
    // An update that no worker has accepted leaves no trace; a signal is kept. Where the worker was only slow, both
    // arrive and have one effect.
    await deliverBySignal(useCases, envelope).catch(leftToRedelivery);
    return { status: 'recorded', decisionId };
  }
  const answer = reply.kind === 'gone' ? await decidedAlready(useCases, envelope) : reply.answer;
  // A re-delivery can have been quicker; then what is refused now has had its effect already.
  if (answer.accepted || (await hadItsEffect(useCases, envelope))) {
    // Only now is it in the history: a worker's transaction alone can be ahead of a Temporal that died.
    await handedOver(useCases, envelope);
    return { status: 'applied', approval: await showApproval(useCases, principal, approvalId) };
  }
  await recordRefusal(useCases, envelope, answer);
  throw errorOf(answer);
}

/** The run has ended: by whom and how, as the record has it (R25). */
async function decidedAlready({ store }: UseCases, envelope: DecisionEnvelope): Promise<DecisionAnswer> {
  const { tenant, approvalId } = envelope;
  const stored = await store.inTenant(tenant, (unit) => unit.approvals.find(approvalId));
  try {
    if (stored) checkAddressed(stored.approval, envelope, envelope.receivedAt);
  } catch (error) {
    if (error instanceof CountersignError) return refusal(error);
    throw error;
  }
  return { accepted: false, code: 'already_decided', detail: 'the run has ended' };
}

async function hadItsEffect({ store }: UseCases, envelope: DecisionEnvelope): Promise<boolean> {
  const { tenant, approvalId, decisionId } = envelope;
  const stored = await store.inTenant(tenant, (unit) => unit.decisions.find(approvalId, decisionId));
  return stored?.status === 'applied';
}

/** No worker answers: Temporal keeps a signal until one does. Also the way of every later re-delivery. */
export async function deliverBySignal(useCases: UseCases, envelope: DecisionEnvelope): Promise<void> {
  const jws = await useCases.signatures.sign(envelope);
  const delivered = await useCases.engine.signalDecision(envelope.tenant, envelope.runId, jws);
  if (delivered === 'gone')
    return recordRefusal(useCases, envelope, await decidedAlready(useCases, envelope));
  await handedOver(useCases, envelope);
}

/** Temporal has it, and keeps it: nothing is owed any more. */
async function handedOver(
  { store }: UseCases,
  { tenant, runId, decisionId }: DecisionEnvelope,
): Promise<void> {
  await store.inTenant(tenant, (unit) => unit.outbox.done({ runId, kind: 'decision', ref: decisionId }));
}

/** Refused by the workflow's validator, which leaves no trace in history; refused by its loop, it is on record already. */
async function recordRefusal(
  { store }: UseCases,
  envelope: DecisionEnvelope,
  answer: DecisionAnswer,
): Promise<void> {
  const { tenant, runId, approvalId, decisionId } = envelope;
  await store.inTenant(tenant, async (unit) => {
    await unit.outbox.done({ runId, kind: 'decision', ref: decisionId });
    const stored = await unit.decisions.find(approvalId, decisionId);
    const approval = await unit.approvals.find(approvalId);
    if (stored?.status !== 'recorded' || !approval) return;
    await unit.decisions.answer(approvalId, decisionId, answer, null);
    await auditRefusal(unit, approval.approval, envelope.actor, errorOf(answer));
  });
}

function errorOf(answer: DecisionAnswer): CountersignError {
  return new CountersignError(answer.code ?? 'internal', answer.detail, answer.details);
}

import { createHash, randomUUID } from 'node:crypto';
import { checkAuthority } from '../domain/approval/authority';
import { checkAddressed } from '../domain/approval/decide';
import {
  applyEdit,
  decisionContent,
  type DecisionBody,
  type DecisionEnvelope,
} from '../domain/approval/decision';
import type { DecisionAnswer } from '../domain/approval/message';
import type { ApprovalState } from '../domain/approval/state';
import { refundWorkflowId, signalNames } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import { leftToRedelivery } from '../domain/outage';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { workerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitive } from './freeText';
import { showApproval } from './readInbox';
import type { ApprovalView } from './views';

export type DecisionOutcome =
  | { readonly status: 'applied'; readonly approval: ApprovalView }
  /** On record and owed to the run; no worker has applied it yet. */
  | { readonly status: 'recorded'; readonly decisionId: string };

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
): Promise<DecisionOutcome> {
  const { approval, envelope } = await checkDecision(useCases, principal, approvalId, body);
  const known = await recordOnce(useCases, approval, envelope, body.comment, channel);
  if (known) return answerAgain(useCases, principal, envelope, known);
  return deliver(useCases, principal, envelope);
}

/** The same checks, then a proof for tools that can only signal: a compact JWS over the decision, nothing recorded yet. */
export async function signDecision(
  useCases: UseCases,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
): Promise<{ jws: string; workflowId: string; signal: string }> {
  const { approval, envelope } = await checkDecision(useCases, principal, approvalId, body);
  checkAddressed(approval, envelope, envelope.receivedAt);
  const jws = await useCases.signatures.sign(envelope);
  return { jws, workflowId: refundWorkflowId(envelope.tenant, envelope.runId), signal: signalNames.approval };
}

async function checkDecision(
  useCases: UseCases,
  principal: Principal,
  approvalId: string,
  body: DecisionBody,
): Promise<{ approval: ApprovalState; envelope: DecisionEnvelope }> {
  refuseSensitive('comment', body.comment);
  const { tenant } = principal;
  const { approval, refused } = await useCases.store.inTenant(tenant, async (unit) => {
    const stored = await unit.approvals.find(approvalId);
    if (!stored) throw new CountersignError('not_found');
    if (body.decision === 'edit') await checkEdit(unit, stored.approval, body);
    return {
      approval: stored.approval,
      refused: await refuseUnauthorized(unit, useCases, stored.approval, principal, body),
    };
  });
  if (refused) throw refused;
  return {
    approval,
    envelope: {
      tenant,
      runId: approval.runId,
      approvalId,
      decisionId: body.decisionId ?? derivedId(approval, principal, body),
      decision: body.decision,
      proposalHash: body.proposalHash,
      ...(body.revision === undefined ? {} : { revision: body.revision }),
      ...(body.arguments === undefined ? {} : { arguments: body.arguments }),
      actor: principal.id,
      receivedAt: Date.now(),
    },
  };
}

/** What makes an edit impossible whoever asks for it; a stale one is told so later, as stale. */
async function checkEdit(unit: Unit, approval: ApprovalState, body: DecisionBody): Promise<void> {
  if (approval.status !== 'open' || body.proposalHash !== approval.proposalHash) return;
  const { amount } = applyEdit(approval.arguments, body.arguments ?? {});
  const balance = await unit.ledger.find(approval.target);
  const available = (balance?.remaining ?? 0) + approval.arguments.amount.minor;
  if (amount.minor > available) {
    throw new CountersignError('exceeds_remaining', undefined, {
      requested: amount.minor,
      remaining: available,
      currency: amount.currency,
    });
  }
}

/** A refused attempt is on the audit log, and uses no decision id up. */
async function refuseUnauthorized(
  unit: Unit,
  { authorization }: UseCases,
  approval: ApprovalState,
  principal: Principal,
  body: DecisionBody,
): Promise<CountersignError | undefined> {
  try {
    const ask = authorization.under(await unit.policies.published(approval.policy.policyVersion));
    checkAuthority(approval, principal, body.decision, ask);
    return undefined;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    await auditRefusal(unit, approval, principal.id, error);
    return error;
  }
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
    if (before && before.status !== 'voided') {
      if (before.content !== content) return new CountersignError('decision_conflict');
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
): Promise<DecisionOutcome> {
  if (known === 'recorded') return deliver(useCases, principal, envelope);
  if (!known.accepted) throw errorOf(known);
  return { status: 'applied', approval: await showApproval(useCases, principal, envelope.approvalId) };
}

async function deliver(
  useCases: UseCases,
  principal: Principal,
  envelope: DecisionEnvelope,
): Promise<DecisionOutcome> {
  const { tenant, runId, approvalId, decisionId, decision, proposalHash } = envelope;
  const message = { kind: 'recorded' as const, approvalId, decisionId, decision, proposalHash };
  const reply = await useCases.engine.decide(tenant, runId, message, workerPatienceMs);
  if (reply.kind === 'no_answer') {
    // An update that no worker has accepted leaves no trace; a signal is kept. Where the worker was only slow, both
    // arrive and have one effect.
    await deliverBySignal(useCases, envelope).catch(leftToRedelivery);
    return { status: 'recorded', decisionId };
  }
  const answer: DecisionAnswer = reply.kind === 'gone' ? runEnded : reply.answer;
  if (answer.accepted) {
    // Only now is it in the history: a worker's transaction alone can be ahead of a Temporal that died.
    await handedOver(useCases, envelope);
    return { status: 'applied', approval: await showApproval(useCases, principal, approvalId) };
  }
  await recordRefusal(useCases, envelope, answer);
  throw errorOf(answer);
}

const runEnded: DecisionAnswer = { accepted: false, code: 'already_decided', detail: 'the run has ended' };

/** No worker answers: Temporal keeps a signal until one does. Also the way of every later re-delivery. */
export async function deliverBySignal(useCases: UseCases, envelope: DecisionEnvelope): Promise<void> {
  const jws = await useCases.signatures.sign(envelope);
  const delivered = await useCases.engine.signalDecision(envelope.tenant, envelope.runId, jws);
  if (delivered === 'gone') return recordRefusal(useCases, envelope, runEnded);
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

async function auditRefusal(
  unit: Unit,
  approval: ApprovalState,
  actor: string,
  error: CountersignError,
): Promise<void> {
  await unit.audit.append({
    runId: approval.runId,
    actor,
    event: 'decision_refused',
    step: `decision_refused:${randomUUID()}`,
    after: { revision: approval.revision, status: approval.status },
    reason: error.code,
    policyVersion: approval.policy.policyVersion,
  });
}

function errorOf(answer: DecisionAnswer): CountersignError {
  return new CountersignError(answer.code ?? 'internal', answer.detail, answer.details);
}

/** One click twice is one decision. */
function derivedId(approval: ApprovalState, principal: Principal, body: DecisionBody): string {
  const content = [approval.id, body.proposalHash, principal.id, body.decision, body.arguments ?? null];
  return `dec_${createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)}`;
}

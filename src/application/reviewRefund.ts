import { randomUUID } from 'node:crypto';
import type { DecisionAnswer } from '../domain/approval/message';
import { refundWorkflowId } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import { leftToRedelivery } from '../domain/outage';
import { checkOffered, checkReviewer, type ReviewBody, type ReviewOrder } from '../domain/refund/review';
import type { Principal } from '../ports/people';
import type { Run } from '../ports/runs';
import type { Unit } from '../ports/store';
import { workerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitive, refuseSensitiveIds } from './freeText';
import { showRefund } from './readRefunds';
import type { RefundView } from './views';

/** The workflow that carries a run now. */
export function workflowOf(run: Run): string {
  return run.reopenedBy ?? refundWorkflowId(run.tenant, run.runId);
}

/**
 * A person's order about a run that waits for one. It is recorded before it is delivered; the run checks it again,
 * with the provider, and its answer is the answer.
 * @throws CountersignError in the order 404, 422, 403, 409
 */
export async function reviewRefund(
  useCases: UseCases,
  principal: Principal,
  runId: string,
  body: ReviewBody,
): Promise<{ status: 'applied' | 'recorded'; refund: RefundView }> {
  refuseSensitive('comment', body.comment);
  refuseSensitiveIds({ refundId: body.refundId });
  const { tenant, id: actor } = principal;
  const { action, refundId, comment } = body;
  const order: ReviewOrder = {
    id: `rev_${randomUUID().replaceAll('-', '')}`,
    runId,
    action,
    actor,
    ...(refundId === undefined ? {} : { refundId }),
  };
  const taken = await useCases.store.inTenant(tenant, async (unit) => {
    const run = await unit.runs.find(runId);
    if (!run) throw new CountersignError('not_found');
    const refused = await refusalOf(unit, useCases, run, principal, order);
    if (refused) return refused;
    await unit.reviews.record(order, comment);
    await unit.outbox.owe({ runId, kind: 'review', ref: order.id });
    await unit.audit.append({
      runId,
      actor,
      event: 'review_ordered',
      step: `review_ordered:${order.id}`,
      after: { action },
      ...(refundId === undefined ? {} : { providerId: refundId }),
    });
    return run;
  });
  if (taken instanceof CountersignError) throw taken;
  const status = await deliver(useCases, taken, order);
  return { status, refund: await showRefund(useCases, principal, runId) };
}

/** A refused attempt is on the audit log. */
async function refusalOf(
  unit: Unit,
  { authorization }: UseCases,
  run: Run,
  principal: Principal,
  { id, action }: ReviewOrder,
): Promise<CountersignError | undefined> {
  try {
    const policy = await unit.policies.newest();
    checkReviewer(policy.document.reviewGroup, principal, run, authorization.under(policy));
    if (!run.review) throw new CountersignError('review_not_open', `the refund is ${run.phase}`);
    checkOffered(action, run.review.actions);
    return undefined;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    await auditRefusal(unit, run.runId, id, principal.id, error.code);
    return error;
  }
}

async function deliver(useCases: UseCases, run: Run, order: ReviewOrder): Promise<'applied' | 'recorded'> {
  const reply = await useCases.engine.review(workflowOf(run), order.id, workerPatienceMs);
  if (reply.kind === 'no_answer') {
    await deliverReview(useCases, run, order).catch(leftToRedelivery);
    return 'recorded';
  }
  const answer = reply.kind === 'gone' ? notOpen : reply.answer;
  if (answer.accepted) {
    // Only now is it in the history: a worker's transaction alone can be ahead of a Temporal that died.
    await handedOver(useCases, run, order);
    return 'applied';
  }
  await recordRefusal(useCases, run, order, answer);
  throw new CountersignError(answer.code ?? 'internal', answer.detail, answer.details);
}

const notOpen: DecisionAnswer = { accepted: false, code: 'review_not_open', detail: 'the run has ended' };

/** No worker answers: Temporal keeps a signal until one does. Also the way of every later re-delivery. */
export async function deliverReview(useCases: UseCases, run: Run, order: ReviewOrder): Promise<void> {
  const delivered = await useCases.engine.signalReview(workflowOf(run), order.id);
  if (delivered === 'gone') return recordRefusal(useCases, run, order, notOpen);
  await handedOver(useCases, run, order);
}

async function handedOver({ store }: UseCases, { tenant, runId }: Run, { id }: ReviewOrder): Promise<void> {
  await store.inTenant(tenant, (unit) => unit.outbox.done({ runId, kind: 'review', ref: id }));
}

/** Refused before the run's own step had it; what that step refused is on record already. */
async function recordRefusal(
  { store }: UseCases,
  { tenant, runId }: Run,
  order: ReviewOrder,
  answer: DecisionAnswer,
): Promise<void> {
  await store.inTenant(tenant, async (unit) => {
    await unit.outbox.done({ runId, kind: 'review', ref: order.id });
    if ((await unit.reviews.find(order.id))?.answer) return;
    await unit.reviews.answer(order.id, answer, null);
    await auditRefusal(unit, runId, order.id, order.actor, answer.code ?? 'internal');
  });
}

async function auditRefusal(
  unit: Unit,
  runId: string,
  orderId: string,
  actor: string,
  reason: string,
): Promise<void> {
  await unit.audit.append({
    runId,
    actor,
    event: 'review_refused',
    step: `review_refused:${orderId}`,
    reason,
  });
}

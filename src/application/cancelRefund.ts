import { isFinal } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import type { CancelBody } from '../domain/refund/request';
import { cancelStep } from '../domain/steps';
import type { Principal } from '../ports/people';
import { checkPermitted } from './authorize';
import { workerPatienceMs, type UseCases } from './dependencies';
import { refuseSensitiveIds } from './freeText';
import { humanBehind } from './onBehalfOf';
import { showRefund } from './readRefunds';
import type { RefundView } from './views';

export const cancelledBy = 'only the requester or an administrator cancels a refund';

/**
 * Cancels a refund while no call to the provider is on record; repeating it changes nothing.
 * @throws CountersignError not_found, invalid_request, sensitive_text, forbidden, run_not_cancellable
 */
export async function cancelRefund(
  useCases: UseCases,
  principal: Principal,
  runId: string,
  { onBehalfOf: named }: CancelBody = {},
): Promise<{ status: 'cancelled' | 'recorded'; refund: RefundView }> {
  const { tenant, id } = principal;
  const run = await useCases.store.inTenant(tenant, (unit) => unit.runs.find(runId));
  if (!run) throw new CountersignError('not_found');
  refuseSensitiveIds({ onBehalfOf: named });
  const spoken = await humanBehind(useCases, tenant, named);
  await checkPermitted(useCases, { who: principal, action: 'cancel', refund: run }, cancelledBy);
  if (run.phase !== 'cancelled') {
    if (isFinal(run.phase)) throw new CountersignError('run_not_cancellable', `the refund is ${run.phase}`);
    const owed = { runId, kind: 'cancel', ref: id } as const;
    // Owed before it is delivered, so that it is not lost with whatever dies meanwhile.
    await useCases.store.inTenant(tenant, async (unit) => {
      const asked = { runId, actor: id, event: 'cancel_requested', step: cancelStep(id) };
      await unit.audit.append({ ...asked, ...spoken });
      await unit.outbox.owe(owed);
    });
    const reply = await useCases.engine.cancel(tenant, runId, id, workerPatienceMs);
    if (reply.kind === 'no_answer')
      return { status: 'recorded', refund: await showRefund(useCases, principal, runId) };
    const now = await useCases.store.inTenant(tenant, async (unit) => {
      await unit.outbox.done(owed);
      return unit.runs.find(runId);
    });
    // Somebody else's cancel, or an earlier one of his own, was at it already.
    const cancelled = now?.phase === 'cancelled';
    if (reply.kind === 'gone' && !cancelled)
      throw new CountersignError('run_not_cancellable', 'the refund has ended');
    if (reply.kind === 'answered' && !reply.answer.accepted && !cancelled) {
      throw new CountersignError(
        reply.answer.code ?? 'run_not_cancellable',
        reply.answer.detail,
        reply.answer.details,
      );
    }
  }
  return { status: 'cancelled', refund: await showRefund(useCases, principal, runId) };
}

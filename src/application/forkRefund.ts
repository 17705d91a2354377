import { askedBefore, forkedBody, type ForkBody } from '../domain/past/fork';
import { stepAt } from '../domain/past/points';
import { statesOf } from '../domain/past/states';
import type { Money } from '../domain/money/money';
import { CountersignError } from '../domain/errors';
import type { Principal } from '../ports/people';
import type { Run } from '../ports/runs';
import type { UseCases } from './dependencies';
import { visibleRun } from './readRefunds';
import { requestRefund } from './requestRefund';

/**
 * Starts another run from a point in the past of one, with changed inputs. It goes through the door as any refund
 * does: a run id, keys, a balance hold and an approval of its own, so nothing that was decided there counts here (R27).
 * Whoever forks is its requester; whoever had asked for the money there counts as asking too. Both audit logs name it.
 * @throws CountersignError as requestRefund does; not_found
 */
export async function forkRefund(
  useCases: UseCases,
  principal: Principal,
  runId: string,
  idempotencyKey: string,
  changes: ForkBody,
): Promise<Run> {
  const { store, authorization } = useCases;
  const { run, steps } = await store.inTenant(principal.tenant, async (unit) => ({
    run: await visibleRun(unit, authorization, principal, runId),
    steps: statesOf(await unit.audit.ofRun(runId)),
  }));
  const last = steps.at(-1);
  if (!last) throw new CountersignError('internal', 'a run has an audit log');
  const { transition, state } = changes.at === undefined ? last : stepAt(steps, changes.at, 'at');
  const fork = {
    forkedFrom: { runId, seq: transition.seq },
    askedBefore: (amount: Money) => askedBefore(run, state, amount),
    // As it was asked: sent again when the run has moved on, it is still the same fork.
    asked: { forkOf: runId, ...changes },
  };
  return requestRefund(useCases, principal, idempotencyKey, forkedBody(run, state, changes), { fork });
}

import { differencesOf, stepAt, type PastPoint } from '../domain/past/points';
import { statesOf, type PastState, type PastStep } from '../domain/past/states';
import type { AuditRow } from '../ports/audit';
import type { Principal } from '../ports/people';
import type { UseCases } from './dependencies';
import { visibleRun } from './readRefunds';
import { amountView, iso } from './viewParts';

export type PastStateView = ReturnType<typeof stepView>;
export type PastDifference = Awaited<ReturnType<typeof differenceInPast>>;

/**
 * What a run was after every event of its audit log, oldest first, each with what that event changed; or at one point
 * of its past alone. Whoever may see the run may see that.
 * @throws CountersignError not_found, also for another tenant's run (R38); forbidden; invalid_request for a point that it has not had
 */
export async function pastStates(
  useCases: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  runId: string,
  at?: PastPoint,
): Promise<PastStateView[]> {
  const steps = await stepsOf(useCases, principal, runId);
  if (at === undefined) return steps.map((step, index) => stepView(step, steps[index - 1]));
  const step = stepAt(steps, at, 'at');
  return [stepView(step, steps[steps.indexOf(step) - 1])];
}

/** How a run at one point of its past differs from the same run at another. @throws as `pastStates` */
export async function differenceInPast(
  useCases: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  runId: string,
  { from, to }: { readonly from: PastPoint; readonly to: PastPoint },
) {
  const steps = await stepsOf(useCases, principal, runId);
  const [one, other] = [stepAt(steps, from, 'from'), stepAt(steps, to, 'to')];
  return {
    runId,
    from: pointView(one),
    to: pointView(other),
    changes: differencesOf(stateView(one.state), stateView(other.state)),
  };
}

async function stepsOf(
  { store, authorization }: Pick<UseCases, 'store' | 'authorization'>,
  principal: Principal,
  runId: string,
): Promise<PastStep<AuditRow>[]> {
  return store.inTenant(principal.tenant, async (unit) => {
    await visibleRun(unit, authorization, principal, runId);
    return statesOf(await unit.audit.ofRun(runId));
  });
}

function stepView(step: PastStep<AuditRow>, before: PastStep<AuditRow> | undefined) {
  const state = stateView(step.state);
  return {
    ...pointView(step),
    state,
    changes: differencesOf(before && stateView(before.state), state),
  };
}

function pointView({ transition: { seq, at, actor, event } }: PastStep<AuditRow>) {
  return { seq, at: iso(at), actor, event };
}

function stateView({ amount, approval, ...state }: PastState) {
  return {
    ...state,
    amount: amount && amountView(amount),
    approval: approval && {
      ...approval,
      votes: approval.votes && [...approval.votes],
      escalatedTo: [...approval.escalatedTo],
      deadline: approval.deadline === null ? null : iso(approval.deadline),
    },
  };
}

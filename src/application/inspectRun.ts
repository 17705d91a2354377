import { isFinal } from '../domain/contract';
import { CountersignError } from '../domain/errors';
import { refuseUnlessPermitted, type Ask } from '../domain/policy/authorization';
import { checkReviewer } from '../domain/refund/review';
import type { Effect } from '../ports/ledger';
import type { Principal } from '../ports/people';
import type { Run } from '../ports/runs';
import { viewing } from './authorize';
import { cancelledBy } from './cancelRefund';
import type { UseCases } from './dependencies';
import { visibleRun } from './readRefunds';
import { movementView } from './reconciliationViews';
import { iso } from './viewParts';
import { approvalView, refundView, timelineEntry } from './views';

/** Movements of a payment that are looked through for those of the run; more than that nobody reads. */
const mostMovements = 200;

export type RunInspection = Awaited<ReturnType<typeof inspectRun>>;
export type EffectView = ReturnType<typeof effectView>;

/**
 * One run with everything that an operator needs to see what it waits for and what it did, read in one transaction, and
 * what he may do about it.
 * @throws CountersignError not_found, also for another tenant's run (R38); forbidden
 */
export async function inspectRun({ store, authorization }: UseCases, principal: Principal, runId: string) {
  return store.inTenant(principal.tenant, async (unit) => {
    const run = await visibleRun(unit, authorization, principal, runId);
    const policy = await unit.policies.newest();
    const ask = authorization.under(policy);
    const { reviewGroup } = policy.document;
    const brake = await unit.brakes.engaged();
    const stored = await unit.approvals.ofRun(runId);
    const approval =
      stored && viewing(principal, stored, ask).allowed
        ? approvalView(stored, await unit.decisions.appliedTo([stored.approval.id]), Date.now(), brake)
        : null;
    const effects = await unit.effects.ofRun(runId);
    const movements = await unit.books.history(run.paymentId, 0, mostMovements);
    return {
      run: refundView(run, stored, brake),
      approval,
      events: (await unit.audit.ofRun(runId)).map(timelineEntry),
      effects: effects.map(effectView),
      movements: movements.filter((movement) => movement.runId === runId).map(movementView),
      /** Who settles a review. */
      reviewGroup,
      /** Something is recorded that the workflow has not got yet. */
      onItsWay: await unit.outbox.owes(runId),
      /** Why not, where this person may not; null where he may. */
      refusals: {
        review: refusalOf(() => checkReviewer(reviewGroup, principal, run, ask)),
        cancel: refusalOf(() => checkCancel(principal, run, effects, ask)),
      },
    };
  });
}

function checkCancel(who: Principal, run: Run, effects: readonly Effect[], ask: Ask): void {
  refuseUnlessPermitted(ask({ who, action: 'cancel', refund: run }), cancelledBy);
  if (isFinal(run.phase)) throw new CountersignError('run_not_cancellable', `the refund is ${run.phase}`);
  if (effects.some(({ state }) => state !== 'refused' && state !== 'failed'))
    throw new CountersignError('run_not_cancellable', 'a call to the provider is on record');
}

function refusalOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof CountersignError) return error.detail;
    throw error;
  }
}

function effectView({ key, state, attempts, firstSentAt, lastSentAt, providerId, errorCode }: Effect) {
  return {
    key,
    state,
    attempts,
    firstSentAt: iso(firstSentAt),
    lastSentAt: iso(lastSentAt),
    providerId,
    errorCode,
  };
}

import { refusal } from '../src/domain/approval/decision';
import type { ErrorCode } from '../src/domain/errors';
import type { ReviewAction } from '../src/domain/refund/review';
import type { Unit } from '../src/ports/store';
import { beforeReset } from './applyReview';
import type { Dependencies } from './dependencies';

export interface ReviewReason {
  readonly tenant: string;
  readonly runId: string;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly tried: readonly string[];
  readonly actions: readonly ReviewAction[];
  /** ms since the epoch, the workflow's own clock. */
  readonly now: number;
  readonly epoch: string;
  /** Counts the reviews of one execution, from 1. */
  readonly round: number;
}

/** Shows that the run can't go on by itself, and why, and tells whoever settles reviews. */
export function flagForReview({ store }: Pick<Dependencies, 'store'>) {
  return async (reason: ReviewReason): Promise<void> => {
    const { tenant, runId, code, detail, tried, actions, now, round, epoch } = reason;
    await store.inTenant(tenant, async (unit) => {
      const review = { code, detail, since: now, round, tried, actions };
      await unit.runs.change(runId, { phase: 'needs_review', review });
      const { document } = await unit.policies.newest();
      // Once for each cause: a run that looks again by itself and finds the same tells nobody anew.
      const first = await unit.notifications.tell({
        key: `${runId}:review:${epoch}:${code}`,
        runId,
        recipient: `group:${document.reviewGroup}`,
        template: 'review_waiting',
        data: { code },
      });
      // No order can be about a review that nobody has seen yet: it was meant for the execution before a reset (R27).
      if (round === 1 && first) await refuseEarlierOrders(unit, runId, epoch);
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'needs_review',
        step: `needs_review:${round}:${epoch}`,
        after: { detail },
        reason: code,
      });
    });
  };
}

async function refuseEarlierOrders(unit: Unit, runId: string, epoch: string): Promise<void> {
  const refused = await unit.reviews.answerOpen(runId, refusal(beforeReset()), epoch);
  for (const orderId of refused) {
    await unit.outbox.done({ runId, kind: 'review', ref: orderId });
    await unit.audit.append({
      runId,
      actor: 'countersign',
      event: 'review_refused',
      step: `apply_review:${orderId}`,
      reason: 'review_not_open',
    });
  }
}

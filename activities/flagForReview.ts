import type { ErrorCode } from '../src/domain/errors';
import type { Dependencies } from './dependencies';

export interface ReviewReason {
  readonly tenant: string;
  readonly runId: string;
  readonly code: ErrorCode;
  readonly detail: string;
  /** Counts the reviews of one run, from 1. */
  readonly round: number;
}

/** Shows a person that the run can't go on by itself, and why. */
export function flagForReview({ store }: Pick<Dependencies, 'store'>) {
  return async ({ tenant, runId, code, detail, round }: ReviewReason): Promise<void> => {
    await store.inTenant(tenant, async (unit) => {
      await unit.runs.change(runId, { phase: 'needs_review' });
      await unit.audit.append({
        runId,
        actor: 'countersign',
        event: 'needs_review',
        step: `needs_review:${round}`,
        after: { detail },
        reason: code,
      });
    });
  };
}

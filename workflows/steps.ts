import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  proxyLocalActivities,
  sleep,
} from '@temporalio/workflow';
import type { RefundActivities } from '../activities';
import { isErrorCode, type ErrorCode } from '../src/domain/errors';

/**
 * Quick steps of our own database: local activities, so several share one workflow task. Their schedule-to-close is
 * short; `durably` then waits on a workflow timer, which a long outage of the database can't turn into history.
 */
export const quick = proxyLocalActivities<RefundActivities>({
  startToCloseTimeout: '5s',
  scheduleToCloseTimeout: '8s',
  retry: { initialInterval: '100ms', maximumInterval: '1s' },
});

/**
 * Calls to the provider: regular activities, whose result is durable before anything follows from it. A dead worker
 * is noticed by its missing heartbeat; every retry sends the same key. After a quarter of an hour the workflow takes
 * over, shows it to a person, and goes on trying ever more rarely.
 */
export const provider = proxyActivities<RefundActivities>({
  startToCloseTimeout: '30s',
  heartbeatTimeout: '1500ms',
  scheduleToCloseTimeout: '15m',
  retry: { initialInterval: '250ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Steps over many rows, such as a page of a sweep or an erasure: repeated until they are done, however long that takes. */
export const patient = proxyActivities<RefundActivities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '5s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '1m' },
});

/** Steps of an agent run: one attempt, which can be a long look at a model; the run itself decides what a failure leads to. */
export const once = proxyActivities<RefundActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '5s',
  retry: { maximumAttempts: 1 },
});

const firstPauseMs = 500;
const longestPauseMs = 60_000;

/** Repeats a step until it is done or finally refused: an outage of PostgreSQL or the provider pauses the run, no more. */
export async function durably<T>(step: () => Promise<T>): Promise<T> {
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await step();
    } catch (error) {
      if (failureCode(error) !== undefined) throw error;
      await sleep(pause);
    }
  }
}

/** The catalogue's code of a final refusal by an activity; undefined for anything that another attempt may cure. */
export function failureCode(error: unknown): { code: ErrorCode; detail: string } | undefined {
  // A local activity's failure comes as it was thrown; a regular one's is wrapped.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (!(cause instanceof ApplicationFailure) || cause.nonRetryable !== true || !isErrorCode(cause.type))
    return undefined;
  return { code: cause.type, detail: cause.message };
}

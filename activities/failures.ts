import { ApplicationFailure, log } from '@temporalio/activity';
import { CountersignError, type RetryDecision } from '../src/domain/errors';
import { isDatabaseOutage } from '../src/domain/outage';

/** What Temporal does with each decision of the catalogue; `ask_person` and `fail` come back to the workflow at once. */
const nonRetryable: Record<RetryDecision, boolean> = {
  retry: false,
  wait: false,
  look_up: false,
  ask_person: true,
  fail: true,
};

/** Every error that leaves an activity goes through here: its type is a code of the catalogue (R14). */
export function failureFor(error: unknown): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  const known = error instanceof CountersignError ? error : unexpected(error);
  const retryAfterMs = known.details['retryAfterMs'];
  return ApplicationFailure.create({
    message: known.detail,
    type: known.code,
    nonRetryable: nonRetryable[known.retry],
    details: [known.details],
    ...(typeof retryAfterMs === 'number' ? { nextRetryDelay: retryAfterMs } : {}),
  });
}

/** Messages of unexpected errors can quote data, so only their kind goes into history; the log has the rest. */
function unexpected(error: unknown): CountersignError {
  const name = error instanceof Error ? error.name : typeof error;
  const sqlState =
    typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
  log.warn('activity failed unexpectedly', {
    error: name,
    sqlState,
    stack: error instanceof Error ? error.stack : undefined,
  });
  if (isDatabaseOutage(error)) {
    const state = sqlState === undefined ? '' : ` (${sqlState})`;
    return new CountersignError('dependency_unavailable', `the database does not answer${state}`);
  }
  // 22: what was asked can't be written at all, such as a NUL in a text; another attempt changes nothing.
  if (sqlState?.startsWith('22'))
    return new CountersignError('invalid_request', `the database can't hold this (${sqlState})`);
  return new CountersignError(
    'internal',
    `unexpected ${name}${sqlState === undefined ? '' : ` (${sqlState})`}`,
  );
}

/** Wraps an activity so that nothing leaves it but a failure of the catalogue. */
export function guarded<Input, Output>(
  activity: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      throw failureFor(error);
    }
  };
}

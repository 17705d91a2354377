import { agentErrors } from './agent/agentErrors';
import { handlingErrors } from './approval/handlingErrors';
import { batchErrors } from './batch/batchErrors';
import { memoryErrors } from './memory/memoryErrors';
import { erasureErrors } from './erasure/erasureErrors';
import { moneyErrors } from './money/moneyErrors';
import { providerErrors } from './refund/providerErrors';
import { threadErrors } from './thread/threadErrors';

/**
 * The one catalogue of errors. Every door maps a code to its HTTP status and problem+json from here, and
 * activities map it to a retry decision from here (`retry`):
 *
 * - `retry`       the same call again, same key, with backoff
 * - `wait`        the same call again after the time that the other side named
 * - `look_up`     the outcome is unknown: the same key, or a look-up at the provider, never a new call
 * - `ask_person`  stop and show it to a person (`needs_review`)
 * - `fail`        final; another attempt can't change the answer
 */
export type RetryDecision = 'retry' | 'wait' | 'look_up' | 'ask_person' | 'fail';

interface ErrorEntry {
  readonly status: number;
  readonly retry: RetryDecision;
  readonly meaning: string;
}

export const errorCatalogue = {
  // The request itself
  idempotency_key_required: {
    status: 400,
    retry: 'fail',
    meaning: 'Send an Idempotency-Key header; the same key gives the same refund.',
  },
  malformed_json: { status: 400, retry: 'fail', meaning: 'The body is not JSON.' },
  unauthenticated: { status: 401, retry: 'fail', meaning: 'No valid bearer token was sent.' },
  too_many_attempts: { status: 429, retry: 'wait', meaning: 'Too many failed sign-ins; wait a minute.' },
  rate_limited: {
    status: 429,
    retry: 'wait',
    meaning: 'This key has called more often than it may; wait as long as Retry-After says.',
  },
  forbidden: { status: 403, retry: 'fail', meaning: 'This identity may not do that.' },
  insufficient_scope: {
    status: 403,
    retry: 'fail',
    meaning: 'This key was not made for that; its scopes do not reach there.',
  },
  not_found: { status: 404, retry: 'fail', meaning: 'There is nothing here by that id.' },
  method_not_allowed: { status: 405, retry: 'fail', meaning: 'This address has no such method.' },
  body_too_large: { status: 413, retry: 'fail', meaning: 'The body is larger than is accepted.' },
  unsupported_media_type: { status: 415, retry: 'fail', meaning: 'Send application/json.' },
  invalid_request: { status: 422, retry: 'fail', meaning: 'A field is missing, unknown or not of its form.' },
  sensitive_text: {
    status: 422,
    retry: 'fail',
    meaning: 'A free-text field holds a card number, a secret or another thing that must not be stored.',
  },

  ...moneyErrors,

  // The payment
  payment_unknown: {
    status: 422,
    retry: 'fail',
    meaning: 'The provider knows no such payment of this tenant.',
  },
  payment_uncaptured: {
    status: 422,
    retry: 'fail',
    meaning: 'Nothing of this payment was captured; void the authorization instead of refunding.',
  },
  payment_disputed: {
    status: 422,
    retry: 'ask_person',
    meaning: 'The payment is disputed; what is disputed cannot be refunded.',
  },
  payment_too_old: { status: 422, retry: 'fail', meaning: 'The refund window of this payment has passed.' },
  exceeds_remaining: {
    status: 422,
    retry: 'fail',
    meaning: 'The amount is more than remains of the payment.',
  },
  line_changed: {
    status: 422,
    retry: 'fail',
    meaning: 'An earlier refund of this order names another quantity or amount for what was bought.',
  },
  line_exhausted: {
    status: 422,
    retry: 'fail',
    meaning: 'More units of a line, or shipping again, than are left to refund of this order.',
  },
  amount_not_of_lines: {
    status: 422,
    retry: 'fail',
    meaning: 'The amount is not what the lines of the refund come to.',
  },
  policy_invalid: {
    status: 422,
    retry: 'fail',
    meaning: 'The policy is not valid, or one of its example cases comes out otherwise.',
  },
  policy_refused: { status: 422, retry: 'fail', meaning: 'The policy refuses this refund.' },

  // Identity of a request
  idempotency_conflict: {
    status: 409,
    retry: 'fail',
    meaning: 'This Idempotency-Key was used with another body.',
  },
  run_not_cancellable: {
    status: 409,
    retry: 'fail',
    meaning: 'The refund is past the point where it can be cancelled.',
  },
  run_cancelled: {
    status: 409,
    retry: 'fail',
    meaning: 'The refund was cancelled before anything was sent.',
  },
  version_conflict: {
    status: 409,
    retry: 'fail',
    meaning: 'Somebody else changed this since it was read; reload and try again.',
  },

  already_exists: { status: 409, retry: 'fail', meaning: 'There is one by that name already.' },
  key_ended: {
    status: 409,
    retry: 'fail',
    meaning: 'That key has ended: it was revoked, has expired, or another one takes its place.',
  },
  last_administrator: {
    status: 409,
    retry: 'fail',
    meaning: 'Nobody could administer the tenant any more; rotate the key instead, which ends its token too.',
  },
  group_in_use: {
    status: 409,
    retry: 'fail',
    meaning: 'The group has members, or the policy names it; it can not be removed.',
  },

  // Decisions
  decision_stale: {
    status: 409,
    retry: 'fail',
    meaning: 'The proposal has changed since it was read; look at it again.',
  },
  decision_conflict: {
    status: 409,
    retry: 'fail',
    meaning: 'This decisionId was used for another decision.',
  },
  already_decided: { status: 409, retry: 'fail', meaning: 'This approval was decided already.' },
  already_voted: { status: 409, retry: 'fail', meaning: 'This person has voted on this revision already.' },
  approval_expired: { status: 409, retry: 'fail', meaning: 'The deadline of this approval has passed.' },
  ...handlingErrors,
  approval_not_open: { status: 409, retry: 'fail', meaning: 'This approval is not open yet.' },
  review_contradicted: {
    status: 409,
    retry: 'fail',
    meaning: 'What the provider says contradicts this way of settling the review.',
  },
  review_not_open: { status: 409, retry: 'fail', meaning: 'This refund does not wait for a review.' },
  difference_not_open: {
    status: 409,
    retry: 'fail',
    meaning: 'This difference does not wait for anybody any more.',
  },
  webhook_signature_invalid: {
    status: 400,
    retry: 'fail',
    meaning: 'The event is not signed with the secret of this endpoint, or is too old.',
  },
  separation_of_duties: {
    status: 403,
    retry: 'fail',
    meaning: 'Whoever asked for a refund, or is asked for by an agent or service, may not approve it.',
  },
  over_limit: { status: 403, retry: 'fail', meaning: "The amount is above this person's approval limit." },
  edit_changes_nothing: { status: 422, retry: 'fail', meaning: 'The edit is the same as what is proposed.' },
  signature_invalid: {
    status: 403,
    retry: 'fail',
    meaning: 'The decision is not signed by a registered channel key, or not as that key signs.',
  },

  ...providerErrors,
  ...threadErrors,
  ...batchErrors,

  ...memoryErrors,

  ...erasureErrors,

  ...agentErrors,

  // What is needed and not there
  not_started_here: {
    status: 409,
    retry: 'fail',
    meaning: 'This workflow was not started through Countersign; no intake is recorded for it.',
  },
  dependency_unavailable: {
    status: 503,
    retry: 'retry',
    meaning: 'Something that Countersign needs does not answer; try again.',
  },
  internal: {
    status: 500,
    retry: 'retry',
    meaning: 'Something went wrong here; the log has it under this request id.',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** `details` goes to the caller as it is: never put personal data or secrets into it. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';

  constructor(
    readonly code: ErrorCode,
    readonly detail: string = errorCatalogue[code].meaning,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }

  get retry(): RetryDecision {
    return errorCatalogue[this.code].retry;
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}

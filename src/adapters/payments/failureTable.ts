import Stripe from 'stripe';
import { CountersignError, type ErrorCode } from '../../domain/errors';

interface Cause {
  readonly cause: string;
  readonly is: (error: Stripe.errors.StripeError) => boolean;
  readonly code: ErrorCode;
}

/**
 * The one table from the provider's errors to ours, first match wins. What happens next (retry, wait, look up,
 * ask a person, fail) stands with each code in domain/errors.ts (R14).
 */
export const failureTable: readonly Cause[] = [
  // The order matters: the first two carry an HTTP status but no certain outcome.
  {
    cause: 'no answer: connection refused, dropped or timed out',
    is: (e) => e instanceof Stripe.errors.StripeConnectionError,
    code: 'provider_unknown',
  },
  {
    cause: '409: another call with this key is in flight',
    is: (e) => e.statusCode === 409,
    code: 'provider_in_flight',
  },
  {
    cause: '429: too many requests',
    is: (e) => e.statusCode === 429 || e instanceof Stripe.errors.StripeRateLimitError,
    code: 'provider_rate_limited',
  },
  {
    cause: '5xx: an error of the provider itself, replayed for this key',
    is: (e) => (e.statusCode ?? 0) >= 500,
    code: 'provider_error',
  },
  {
    cause: 'the key was used with other parameters',
    is: (e) => e instanceof Stripe.errors.StripeIdempotencyError,
    code: 'provider_key_reused',
  },
  {
    cause: '401 or 403: credentials',
    is: (e) => e.statusCode === 401 || e.statusCode === 403,
    code: 'provider_authentication',
  },
  {
    cause: 'the payment is refunded already',
    is: (e) => e.code === 'charge_already_refunded',
    code: 'provider_already_refunded',
  },
  {
    cause: 'no such payment',
    is: (e) => e.code === 'resource_missing' || e.statusCode === 404,
    code: 'payment_unknown',
  },
  { cause: 'the payment is disputed', is: (e) => e.code === 'charge_disputed', code: 'payment_disputed' },
  { cause: 'any other refusal', is: (e) => (e.statusCode ?? 0) >= 400, code: 'provider_refused' },
];

/** Maps whatever the SDK throws. An error without an HTTP status leaves the outcome unknown, never failed (R12). */
export function failureOf(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  if (!(error instanceof Stripe.errors.StripeError)) {
    return new CountersignError('provider_unknown', "the provider's answer could not be read");
  }
  const row = failureTable.find(({ is }) => is(error));
  const code = row?.code ?? 'provider_unknown';
  // The provider's own message may quote parameters: its code and request id are enough to find it there.
  return new CountersignError(code, row?.cause ?? 'no answer that could be read', {
    ...(error.code === undefined ? {} : { providerCode: error.code }),
    ...(error.requestId === undefined ? {} : { providerRequestId: error.requestId }),
    ...retryAfter(error),
  });
}

/** Retry-After in ms, where the provider said so. */
function retryAfter(error: Stripe.errors.StripeError): { retryAfterMs?: number } {
  const seconds = Number(error.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.min(seconds, 3600) * 1000 } : {};
}

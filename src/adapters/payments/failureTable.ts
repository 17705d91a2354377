import Stripe from 'stripe';
import { CountersignError, type ErrorCode } from '../../domain/errors';

interface Cause {
  readonly cause: string;
  /** How the provider says it; for the document that is made of this table. */
  readonly said: string;
  readonly is: (error: Stripe.errors.StripeError) => boolean;
  readonly code: ErrorCode;
}

const status = (error: Stripe.errors.StripeError): number => error.statusCode ?? 0;
const coded =
  (...codes: string[]) =>
  (error: Stripe.errors.StripeError): boolean =>
    // A code without a status is no refusal that the provider made.
    status(error) >= 400 && error.code !== undefined && codes.includes(error.code);

const unreadable = {
  cause: 'no answer that could be read',
  said: 'anything else: no HTTP status, no JSON, an object that makes no sense',
  is: () => true,
  code: 'provider_unknown',
} as const satisfies Cause;

/**
 * The one table from the provider's errors to ours, first match wins. What happens next (retry, wait, look up,
 * ask a person, fail) stands with each code in domain/errors.ts (R14); docs/provider-failures.md is made of both.
 */
export const failureTable: readonly Cause[] = [
  // The order matters: the first four carry no certain outcome, whatever else they say.
  {
    cause: 'no answer: connection refused, dropped or timed out',
    said: 'nothing; the SDK throws `StripeConnectionError`',
    is: (e) => e instanceof Stripe.errors.StripeConnectionError,
    code: 'provider_unknown',
  },
  {
    cause: '409: another call with this key is in flight',
    said: 'HTTP 409, such as `idempotency_key_in_use`',
    is: (e) => status(e) === 409,
    code: 'provider_in_flight',
  },
  {
    cause: '429: too many requests',
    said: 'HTTP 429 with or without `Retry-After`, such as `rate_limit`, `lock_timeout`',
    is: (e) => status(e) === 429 || e instanceof Stripe.errors.StripeRateLimitError,
    code: 'provider_rate_limited',
  },
  {
    cause: '5xx: an error of the provider itself, replayed for this key',
    said: 'HTTP 500 and above',
    is: (e) => status(e) >= 500,
    code: 'provider_error',
  },
  {
    cause: 'the key was used with other parameters',
    said: 'HTTP 400, type `idempotency_error`',
    is: (e) => e instanceof Stripe.errors.StripeIdempotencyError,
    code: 'provider_key_reused',
  },
  {
    cause: '401 or 403: credentials',
    said: 'HTTP 401 or 403, such as `api_key_expired`',
    is: (e) => status(e) === 401 || status(e) === 403,
    code: 'provider_authentication',
  },
  {
    cause: 'the payment is refunded already',
    said: '`charge_already_refunded`',
    is: coded('charge_already_refunded'),
    code: 'provider_already_refunded',
  },
  {
    cause: 'no such payment',
    said: '`resource_missing`, or HTTP 404',
    is: (e) => coded('resource_missing')(e) || status(e) === 404,
    code: 'payment_unknown',
  },
  {
    cause: 'the payment is disputed',
    said: '`charge_disputed`, `refund_disputed_payment`',
    is: coded('charge_disputed', 'refund_disputed_payment'),
    code: 'payment_disputed',
  },
  {
    cause: "the account's balance does not cover the refund",
    said: '`balance_insufficient`, `insufficient_funds`',
    is: coded('balance_insufficient', 'insufficient_funds'),
    code: 'provider_refused',
  },
  {
    cause: 'any other refusal',
    said: 'any other HTTP 4xx',
    is: (e) => status(e) >= 400,
    code: 'provider_refused',
  },
  unreadable,
];

/** What the adapter refuses by itself, before a call or on what it reads; nothing was moved by that call. */
export const ownRefusals: readonly { readonly cause: string; readonly code: ErrorCode }[] = [
  { cause: 'the payment has not succeeded at the provider', code: 'payment_unknown' },
  { cause: 'the payment intent has no charge yet', code: 'payment_uncaptured' },
  {
    cause: 'the provider cannot count exactly this amount in this currency',
    code: 'amount_not_representable',
  },
  { cause: 'the payment is in a currency that ISO 4217 does not know', code: 'currency_unknown' },
  { cause: 'an amount of the payment is not a whole number from zero', code: 'amount_invalid' },
  {
    cause: 'an event is not signed with the secret of our endpoint, or too old',
    code: 'webhook_signature_invalid',
  },
  { cause: 'a signed event that is not of the form of an event', code: 'invalid_request' },
];

/** Maps whatever the SDK throws. An error without an HTTP status leaves the outcome unknown, never failed (R12). */
export function failureOf(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  if (!(error instanceof Stripe.errors.StripeError)) return unreadableAnswer();
  const { code, cause } = failureTable.find(({ is }) => is(error)) ?? unreadable;
  // The provider's own message may quote parameters: its code and request id are enough to find it there.
  return new CountersignError(code, cause, {
    ...(error.code === undefined ? {} : { providerCode: error.code }),
    ...(error.requestId === undefined ? {} : { providerRequestId: error.requestId }),
    ...retryAfter(error),
  });
}

/** For an answer that came and makes no sense: what it was about may have happened all the same (R12). */
export function unreadableAnswer(): CountersignError {
  return new CountersignError(unreadable.code, unreadable.cause);
}

/** Retry-After in ms, where the provider said so. */
function retryAfter(error: Stripe.errors.StripeError): { retryAfterMs?: number } {
  const seconds = Number(error.headers?.['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: Math.min(seconds, 3600) * 1000 } : {};
}

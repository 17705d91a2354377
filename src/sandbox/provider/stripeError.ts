/** What Stripe puts under `error` in an answer's body. */
export interface StripeErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  readonly message: string;
  readonly code?: string;
  readonly param?: string;
  readonly decline_code?: string;
  readonly charge?: string;
}

/** A refusal that is answered in Stripe's own form and with its HTTP status. */
export class StripeError extends Error {
  override readonly name = 'StripeError';

  constructor(
    readonly status: number,
    readonly body: StripeErrorBody,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(body.message);
  }

  toJson(): { error: StripeErrorBody & { doc_url?: string } } {
    const { code } = this.body;
    return {
      error:
        code === undefined
          ? this.body
          : { ...this.body, doc_url: `https://stripe.com/docs/error-codes/${code}` },
    };
  }
}

export function invalidRequest(
  message: string,
  fields: { code?: string; param?: string; charge?: string } = {},
): StripeError {
  return new StripeError(400, { type: 'invalid_request_error', message, ...fields });
}

export function noSuch(what: string, id: string, param = 'id'): StripeError {
  return new StripeError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
    param,
  });
}

export function unknownKey(key: string | undefined): StripeError {
  const message =
    key === undefined
      ? 'You did not provide an API key. Send it in the Authorization header as a bearer token.'
      : `Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}${key.length > 16 ? key.slice(-4) : ''}`;
  return new StripeError(401, { type: 'invalid_request_error', message });
}

export function unknownUrl(method: string, path: string): StripeError {
  return new StripeError(404, {
    type: 'invalid_request_error',
    message: `Unrecognized request URL (${method}: ${path}). This sandbox simulates only part of the API.`,
  });
}

export function keyInUse(): StripeError {
  return new StripeError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message:
      'Another request with this idempotency key is still in progress. Try again once it has finished.',
  });
}

export function keyReused(key: string): StripeError {
  return new StripeError(400, {
    type: 'idempotency_error',
    message: `The idempotency key '${key}' was first used with other parameters; a key belongs to one request. Use another key for another request.`,
  });
}

export function internalError(): StripeError {
  return new StripeError(500, {
    type: 'api_error',
    message: 'An unknown error occurred in the simulated provider.',
  });
}

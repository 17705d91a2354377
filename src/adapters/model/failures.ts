import { CountersignError } from '../../domain/errors';
import type { ModelSettings } from './settings';

/** An answer that is no success, or none at all, as both SDKs throw it. */
interface ModelFailure {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly timedOut: boolean;
}

/** The classes of errors that both SDKs have by the same names. */
interface SdkErrors {
  readonly APIError: abstract new (...given: never) => Omit<ModelFailure, 'timedOut'>;
  readonly APIUserAbortError: abstract new (...given: never) => unknown;
  readonly APIConnectionTimeoutError: abstract new (...given: never) => unknown;
}

/** What an SDK threw, as ours where it comes of the model; anything else as it is. */
export function asModelError(error: unknown, sdk: SdkErrors): unknown {
  if (error instanceof sdk.APIUserAbortError || error instanceof sdk.APIConnectionTimeoutError)
    return modelError({ status: undefined, headers: undefined, timedOut: true });
  if (error instanceof sdk.APIError) {
    const { status, headers } = error;
    return modelError({ status, headers, timedOut: false });
  }
  return unreadable(error) ?? error;
}

/** Called off by whoever asked, or by the time that one call may take. */
export function within(
  { timeoutMs }: Pick<ModelSettings, 'timeoutMs'>,
  signal: AbortSignal | undefined,
): AbortSignal {
  const time = AbortSignal.timeout(timeoutMs);
  return signal ? AbortSignal.any([signal, time]) : time;
}

/** For an answer that is no JSON, on which both SDKs let the parser's own error through. */
function unreadable(error: unknown): CountersignError | undefined {
  const isSyntax =
    typeof error === 'object' && error !== null && 'name' in error && error.name === 'SyntaxError';
  return isSyntax ? new CountersignError('model_malformed') : undefined;
}

const longestWaitMs = 3_600_000;

/** One table for every model: what a failure is here. Never with the provider's own words, which can quote the prompt. */
function modelError({ status, headers, timedOut }: ModelFailure): CountersignError {
  if (timedOut) return new CountersignError('model_timeout');
  if (status === undefined) return new CountersignError('model_unavailable');
  if (status === 429) return new CountersignError('model_rate_limited', undefined, retryAfter(headers));
  if (status === 401 || status === 403) return new CountersignError('model_authentication');
  const passing = status === 408 || status === 409 || status >= 500;
  const code = passing ? 'model_unavailable' : 'model_refused';
  return new CountersignError(code, `the model answers ${status}`);
}

/** Seconds, or a date; OpenAI also says milliseconds. */
function retryAfter(headers: Headers | undefined): { readonly retryAfterMs?: number } {
  const ms = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  const said = headers?.get('retry-after') ?? '';
  const wait = Number.isFinite(ms)
    ? ms
    : /^\d+(\.\d+)?$/.test(said)
      ? Number(said) * 1_000
      : Date.parse(said) - Date.now();
  return Number.isFinite(wait) ? { retryAfterMs: Math.min(Math.max(Math.ceil(wait), 0), longestWaitMs) } : {};
}

import type { CountersignError } from '../domain/errors';

export interface RetryOptions {
  /** After the first attempt. Default 4; 0 turns retrying off. */
  readonly retries: number;
  /** Longest wait before the first retry, ms; it doubles from retry to retry. Default 200. */
  readonly firstDelayMs: number;
  /** No single wait is longer, ms, also when the server asks for more. Default 10,000. */
  readonly longestDelayMs: number;
}

export const defaultRetry: RetryOptions = { retries: 6, firstDelayMs: 200, longestDelayMs: 10_000 };

const retriedStatuses = new Set([429, 502, 503, 504]);

/**
 * Whether the same call, with the same key, may do better. The server's word counts first: a 502 that says that the
 * provider refused is final.
 */
export function isWorthRetrying(status: number, error: CountersignError): boolean {
  return retriedStatuses.has(status) && error.retry !== 'fail' && error.retry !== 'ask_person';
}

/** How long to wait before retry number `retry` (from 0), ms: anywhere up to the doubled delay, so that callers spread out. */
export function delayBefore(retry: number, options: RetryOptions, retryAfterMs: number | undefined): number {
  const upTo = Math.min(options.firstDelayMs * 2 ** retry, options.longestDelayMs);
  if (retryAfterMs === undefined) return Math.random() * upTo;
  return Math.min(retryAfterMs + Math.random() * options.firstDelayMs, options.longestDelayMs);
}

/** `Retry-After`, seconds or a date, as ms from now; undefined when absent or unreadable. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}

/** Rejects with the signal's reason when it is aborted meanwhile. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

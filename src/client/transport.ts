import { CountersignError } from '../domain/errors';
import { noAnswer, problemOf } from './problem';
import { defaultRetry, delayBefore, isWorthRetrying, pause, retryAfterMs, type RetryOptions } from './retry';

export interface CountersignOptions {
  /** Where the API is, for example `http://127.0.0.1:8080`. */
  readonly baseUrl: string;
  /** The bearer token of whoever acts; tenant and rights come from it. */
  readonly token?: string;
  readonly retry?: Partial<RetryOptions>;
  /** For each attempt, ms. Default 30,000. */
  readonly timeoutMs?: number;
  /** Another `fetch`, for example behind a proxy. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  /** Instead of a body: sent as it is, under the content type of `headers`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are answers although HTTP calls them failures. */
  readonly accept?: readonly number[];
}

/**
 * Calls the API. Every call here may be repeated without a second effect, so what gets no answer is sent again; where
 * the first had its effect, the second may be refused as a conflict.
 */
export class Transport {
  private readonly base: string;
  private readonly retry: RetryOptions;
  private readonly timeoutMs: number;
  private readonly fetch: typeof fetch;

  constructor(private readonly options: CountersignOptions) {
    this.base = options.baseUrl.replace(/\/+$/, '');
    this.retry = { ...defaultRetry, ...options.retry };
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.fetch = options.fetch ?? fetch;
  }

  /** @throws CountersignError what the API refused with, or dependency_unavailable when nobody answered */
  async call<Answer>(call: Call): Promise<{ status: number; body: Answer }> {
    for (let retry = 0; ; retry += 1) {
      const last = retry >= this.retry.retries;
      let waitMs: number | undefined;
      try {
        const answer = await this.send(call, AbortSignal.timeout(this.timeoutMs));
        if (answer.ok || call.accept?.includes(answer.status))
          return { status: answer.status, body: (await contentOf(answer)) as Answer };
        const error = await problemOf(answer);
        if (last || !isWorthRetrying(answer.status, error)) throw error;
        waitMs = retryAfterMs(answer.headers.get('retry-after'), Date.now());
      } catch (error) {
        call.signal?.throwIfAborted();
        if (error instanceof CountersignError) throw error;
        if (last) throw noAnswer(this.base, error);
      }
      await pause(delayBefore(retry, this.retry, waitMs), call.signal);
    }
  }

  /**
   * An open answer, read piece by piece. One attempt, without a time limit: who reads it reconnects.
   * @throws CountersignError what the API refused with, or dependency_unavailable
   */
  async open(call: Call): Promise<ReadableStream<Uint8Array>> {
    let answer: Response;
    try {
      answer = await this.send(call, undefined);
    } catch (error) {
      call.signal?.throwIfAborted();
      throw noAnswer(this.base, error);
    }
    if (!answer.ok) throw await problemOf(answer);
    if (!answer.body) throw noAnswer(this.base, new Error('an answer without a body'));
    return answer.body;
  }

  /** Waits as before retry number `failures` (from 0). @returns false when that was tried often enough */
  async waitToReconnect(failures: number, signal: AbortSignal | undefined): Promise<boolean> {
    if (failures >= this.retry.retries) return false;
    await pause(delayBefore(failures, this.retry, undefined), signal);
    return true;
  }

  private async send(call: Call, timeout: AbortSignal | undefined): Promise<Response> {
    const signals = [call.signal, timeout].filter((signal) => signal !== undefined);
    return this.fetch(this.url(call), {
      method: call.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(this.options.token === undefined ? {} : { authorization: `Bearer ${this.options.token}` }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      ...(call.text === undefined ? {} : { body: call.text }),
      ...(signals.length === 0 ? {} : { signal: AbortSignal.any(signals) }),
      redirect: 'error',
    });
  }

  private url({ path, query = {} }: Call): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(
      given.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return `${this.base}${path}${search === '' ? '' : `?${search}`}`;
  }
}

async function contentOf(answer: Response): Promise<unknown> {
  return answer.status === 204 ? undefined : answer.json();
}

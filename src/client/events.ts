import { CountersignError } from '../domain/errors';
import { pause } from './retry';
import type { Call, CallOptions, Transport } from './transport';
import type { TimelineEntry } from './types';

export interface WatchOptions extends CallOptions {
  /** Only what comes after this `seq`. Default 0: from the beginning. */
  readonly after?: number;
}

/**
 * The timeline as it grows. A lost connection is made again and continues after the last entry seen, so nothing is
 * missed and nothing comes twice. Ends when the stream ends, which may be before the run has: the caller knows.
 * @throws CountersignError what the API refused with, or dependency_unavailable when it stays away
 */
export async function* liveEvents(
  transport: Transport,
  runId: string,
  { after = 0, signal }: WatchOptions,
): AsyncGenerator<TimelineEntry, void, undefined> {
  let seen = after;
  const call = () => ({
    path: `/v1/refunds/${encodeURIComponent(runId)}/events`,
    headers: { 'last-event-id': String(seen) },
  });
  for await (const { data } of reconnecting(transport, call, signal)) {
    const entry = JSON.parse(data) as TimelineEntry;
    if (entry.seq <= seen) continue;
    seen = entry.seq;
    yield entry;
  }
}

/** Between two connections that were ended by the other side, ms. */
const againAfterMs = 500;

/**
 * Something whenever what a stream tells of has changed, and each time that it has been connected, since it may have
 * changed before. Never ends by itself.
 * @throws CountersignError what the API refused with, or dependency_unavailable when it stays away
 */
export async function* liveChanges(
  transport: Transport,
  path: string,
  { signal }: CallOptions,
): AsyncGenerator<void, void, undefined> {
  for (;;) {
    for await (const _event of reconnecting(transport, () => ({ path }), signal)) yield;
    await pause(againAfterMs, signal);
  }
}

/**
 * All of something as it is, and again whenever it has changed, from a stream that tells of `progress`; until `stands`
 * says that no more is waited for.
 * @throws CountersignError what the API refused with, or dependency_unavailable when it stays away
 */
export async function* liveProgress<Whole>(
  transport: Transport,
  path: string,
  stands: (whole: Whole) => boolean,
  { signal }: CallOptions,
): AsyncGenerator<Whole, void, undefined> {
  for (let before = ''; ; await pause(againAfterMs, signal)) {
    for await (const { event, data } of reconnecting(transport, () => ({ path }), signal)) {
      if (event !== 'progress' || data === before) continue;
      before = data;
      const whole = JSON.parse(data) as Whole;
      yield whole;
      if (stands(whole)) return;
    }
  }
}

/** One event of a stream; an event without a name is a `message`. */
interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** Every event until the other side ends the stream; a connection that is lost is made again. */
async function* reconnecting(
  transport: Transport,
  call: () => Pick<Call, 'path' | 'headers'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent> {
  for (let failures = 0; ;) {
    try {
      const { path, headers } = call();
      const stream = await transport.open({
        path,
        headers: { accept: 'text/event-stream', ...headers },
        signal,
      });
      // A quiet stream's connection is cut again and again by whoever dislikes idle ones; that is no failure.
      failures = 0;
      yield* eventsOf(stream);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CountersignError && !mayPass(error)) throw error;
      if (!(await transport.waitToReconnect(failures, signal))) throw asUnavailable(error);
      failures += 1;
    }
  }
}

/** The events of a stream of server-sent events; comments and other fields are passed over. */
async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let event = 'message';
  let data: string[] = [];
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event, data: data.join('\n') };
        [event, data] = ['message', []];
      }
      const [, field, value = ''] = /^(event|data):(?: )?(.*)$/s.exec(line) ?? [];
      if (field === 'data') data.push(value);
      if (field === 'event') event = value;
    }
  }
}

/** What may be otherwise when it is connected again. */
function mayPass({ status }: CountersignError): boolean {
  return status >= 500 || status === 429;
}

function asUnavailable(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new CountersignError('dependency_unavailable', `the live view broke off (${why})`);
}

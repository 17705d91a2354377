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
  for await (const data of reconnecting(transport, call, signal)) {
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
    for await (const _data of reconnecting(transport, () => ({ path }), signal)) yield;
    await pause(againAfterMs, signal);
  }
}

/** The data of every event until the other side ends the stream; a connection that is lost is made again. */
async function* reconnecting(
  transport: Transport,
  call: () => Pick<Call, 'path' | 'headers'>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
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
      yield* eventData(stream);
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CountersignError && !mayPass(error)) throw error;
      if (!(await transport.waitToReconnect(failures, signal))) throw asUnavailable(error);
      failures += 1;
    }
  }
}

/** The `data` of every event of a stream of server-sent events; comments and other fields are passed over. */
async function* eventData(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) {
        data.push(line.slice(5).replace(/^ /, ''));
      }
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

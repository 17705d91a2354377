import { CountersignError } from '../domain/errors';
import type { CallOptions, Transport } from './transport';
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
  for (let failures = 0; ;) {
    try {
      const stream = await transport.open({
        path: `/v1/refunds/${encodeURIComponent(runId)}/events`,
        headers: { accept: 'text/event-stream', 'last-event-id': String(seen) },
        signal,
      });
      // A quiet run's connection is cut again and again by whoever dislikes idle ones; that is no failure.
      failures = 0;
      for await (const data of eventData(stream)) {
        const entry = JSON.parse(data) as TimelineEntry;
        if (entry.seq <= seen) continue;
        seen = entry.seq;
        yield entry;
      }
      return;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof CountersignError && error.status < 500) throw error;
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

function asUnavailable(error: unknown): CountersignError {
  if (error instanceof CountersignError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new CountersignError('dependency_unavailable', `the live view broke off (${why})`);
}

import { z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import type { TimelineEntry } from '../application/views';
import type { ApiContext, HttpDependencies } from './context';
import { eventStream, jsonData } from './schemas';

/** What one look at something that is watched finds. */
interface Look {
  /** Every transition so far, by its number. */
  readonly transitions: readonly TimelineEntry[];
  /** All of it as it is, where that is told too. */
  readonly whole?: unknown;
  readonly ended: boolean;
}

interface Watched {
  /** What changes are told of it under. */
  readonly id: string;
  /** Reads what says whether it has ended before the transitions, so that its last one is among them. */
  readonly look: () => Promise<Look>;
  /** What is told to nobody at once, and the key's end, are looked for this often, ms. */
  readonly lookEveryMs: number;
}

/**
 * What happens, live, until it has ended: an event for each transition, whose id is its number, so that nothing is lost
 * between two connections and nothing comes twice; and `progress` with the whole, without an id, whenever that has changed.
 */
export function streamLive(
  c: ApiContext,
  { watch }: Pick<HttpDependencies, 'watch'>,
  { id, look, lookEveryMs }: Watched,
): Response {
  let seen = Number(c.req.header('last-event-id') ?? 0) || 0;
  let told: string | undefined;
  return streamSSE(c, async (stream) => {
    let wake: () => void = () => undefined;
    const unsubscribe = await watch.subscribe(id, () => wake());
    stream.onAbort(() => {
      unsubscribe();
      wake();
    });
    try {
      while (!stream.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        // A key that was revoked meanwhile sees nothing more, at most one look later.
        if (!(await c.get('stillHeld')())) return;
        const { transitions, whole, ended } = await look();
        for (const entry of transitions) {
          if (entry.seq <= seen) continue;
          await stream.writeSSE({ id: String(entry.seq), event: entry.event, data: JSON.stringify(entry) });
          seen = entry.seq;
        }
        const data = whole === undefined ? undefined : JSON.stringify(whole);
        if (data !== undefined && data !== told) await stream.writeSSE({ event: 'progress', data });
        told = data;
        if (ended) return;
        await Promise.race([changed, stream.sleep(lookEveryMs)]);
      }
    } finally {
      unsubscribe();
    }
  });
}

/** How the document describes a stream that also tells of `whole`. */
export const liveStream = (description: string, whole: string) =>
  eventStream(
    description,
    z.object({
      id: z.string().optional().openapi({ description: 'Its seq, for Last-Event-ID; `progress` has none' }),
      event: z.string(),
      data: jsonData(`An item of Timeline; of \`progress\`, ${whole}`),
    }),
  );

import { createRoute, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import { refundTimeline, showRefund } from '../application/readRefunds';
import { isFinal } from '../domain/contract';
import type { Api, HttpDependencies } from './context';
import { eventStream, jsonData, problems } from './schemas';

/** What is told to nobody at once, such as a refused attempt, and the key's end; a watched run is looked at this often, ms. */
const lookEveryMs = 2_000;

const route = createRoute({
  method: 'get',
  path: '/v1/refunds/{runId}/events',
  operationId: 'refundEvents',
  summary: 'The timeline, live, as server-sent events; resumes after Last-Event-ID',
  security: [{ bearer: [] }],
  request: { params: z.object({ runId: z.string() }) },
  responses: {
    ...eventStream(
      'One event per transition; ends with the run',
      z.object({
        id: z.string().openapi({ description: 'Its seq, for Last-Event-ID' }),
        event: z.string(),
        data: jsonData('An item of Timeline'),
      }),
    ),
    ...problems(404),
  },
});

/** Live view of one run; nothing is lost between two connections, since every event has its number. */
export function eventRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);
  api.get('/v1/refunds/:runId/events', async (c) => {
    const runId = c.req.param('runId');
    const principal = c.get('principal');
    await showRefund(dependencies, principal, runId);
    let seen = Number(c.req.header('last-event-id') ?? 0) || 0;

    return streamSSE(c, async (stream) => {
      let wake: () => void = () => undefined;
      const unsubscribe = await dependencies.watch.subscribe(runId, () => wake());
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
          const { phase } = await showRefund(dependencies, principal, runId);
          for (const entry of await refundTimeline(dependencies, principal, runId)) {
            if (entry.seq <= seen) continue;
            await stream.writeSSE({ id: String(entry.seq), event: entry.event, data: JSON.stringify(entry) });
            seen = entry.seq;
          }
          if (isFinal(phase)) return;
          await Promise.race([changed, stream.sleep(lookEveryMs)]);
        }
      } finally {
        unsubscribe();
      }
    });
  });
}

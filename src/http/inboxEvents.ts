import { createRoute, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import type { Api, HttpDependencies } from './context';
import { eventStream } from './schemas';

/** So long nothing is sent without a sign of life, ms; proxies cut what is silent. The key is looked at then too. */
const aliveEveryMs = 15_000;

const route = createRoute({
  method: 'get',
  path: '/v1/approvals/events',
  operationId: 'inboxEvents',
  summary: 'Tells, live, that something in the inbox has changed, as server-sent events',
  security: [{ bearer: [] }],
  responses: {
    ...eventStream(
      'When the stream is open and after every change, without content: the list says what it has become',
      z.object({ event: z.literal('changed'), data: z.literal('inbox') }),
    ),
  },
});

/** Whoever connects again reads the list again, so nothing that happened in between is missed. */
export function inboxEventRoutes(api: Api, { inboxWatch }: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);
  api.get('/v1/approvals/events', (c) =>
    streamSSE(c, async (stream) => {
      let changes = 1;
      let wake: () => void = () => undefined;
      const unsubscribe = await inboxWatch.subscribe(c.get('principal').tenant, () => {
        changes += 1;
        wake();
      });
      stream.onAbort(() => {
        unsubscribe();
        wake();
      });
      try {
        for (let told = 0; !stream.aborted;) {
          // A key that was revoked meanwhile is told nothing more.
          if (!(await c.get('stillHeld')())) return;
          const next = new Promise<void>((resolve) => {
            wake = resolve;
          });
          if (changes === told) {
            await Promise.race([next, stream.sleep(aliveEveryMs)]);
            if (changes === told) await stream.write(': alive\n\n');
            continue;
          }
          told = changes;
          await stream.writeSSE({ event: 'changed', data: 'inbox' });
        }
      } finally {
        unsubscribe();
      }
    }),
  );
}

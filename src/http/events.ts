import { createRoute, z } from '@hono/zod-openapi';
import { refundTimeline, showRefund } from '../application/readRefunds';
import { isFinal } from '../domain/contract';
import type { Api, HttpDependencies } from './context';
import { streamLive } from './liveView';
import { eventStream, jsonData, problems } from './schemas';

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

/** Live view of one run. */
export function eventRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);
  api.get('/v1/refunds/:runId/events', async (c) => {
    const id = c.req.param('runId');
    const principal = c.get('principal');
    const look = async () => {
      const { phase } = await showRefund(dependencies, principal, id);
      return { transitions: await refundTimeline(dependencies, principal, id), ended: isFinal(phase) };
    };
    await showRefund(dependencies, principal, id);
    return streamLive(c, dependencies, { id, look, lookEveryMs: 2_000 });
  });
}

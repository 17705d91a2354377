import { createRoute, z } from '@hono/zod-openapi';
import { exportMemories, memoryHistory } from '../application/memoryCorrections';
import { parseInput, type Api, type HttpDependencies } from './context';
import { idParameter, ownerQuery } from './memories';
import { versionSchema, versionView } from './memoryViews';
import { answers, problems } from './schemas';

const bearer = [{ bearer: [] }];

const routes = {
  export: createRoute({
    method: 'get',
    path: '/v1/memories/export',
    operationId: 'exportMemories',
    summary: 'Everything that is or was remembered of one owner, one version a line; no agents',
    security: bearer,
    request: { query: ownerQuery },
    responses: {
      200: {
        description: 'JSON Lines, each a MemoryVersion',
        content: { 'application/x-ndjson': { schema: z.string() } },
      },
      ...problems(422),
    },
  }),
  history: createRoute({
    method: 'get',
    path: '/v1/memories/{id}/history',
    operationId: 'memoryHistory',
    summary:
      'Every version of a memory, newest first, with what took its place and why it was written; no agents',
    security: bearer,
    request: { params: idParameter, query: ownerQuery },
    responses: {
      ...answers(200, 'Its versions', z.object({ items: z.array(versionSchema) })),
      ...problems(404, 422),
    },
  }),
};

/** Comes before `/v1/memories/{id}`, which would take `export` for an id. */
export function memoryHistoryRoutes(api: Api, { memory, onUnexpected }: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.get('/v1/memories/export', (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    const versions = exportMemories(memory, c.get('principal'), owner)[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    const requestId = c.get('requestId');
    const lines = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const step = await versions.next();
          if (step.done === true) controller.close();
          else controller.enqueue(encoder.encode(`${JSON.stringify(versionView(step.value))}\n`));
        } catch (error) {
          // Cut off in the middle of the answer, so that nobody takes it for the whole.
          onUnexpected(error, requestId);
          controller.error(error);
        }
      },
      async cancel() {
        await versions.return?.();
      },
    });
    return c.body(lines, 200, { 'content-type': 'application/x-ndjson' });
  });

  api.get('/v1/memories/:id/history', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    const versions = await memoryHistory(memory, c.get('principal'), c.req.param('id'), owner);
    return c.json({ items: versions.map(versionView) });
  });
}

import { createRoute, z } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import { batchOrders, changeBatch } from '../application/batches/changeBatch';
import { listBatches, listItems, showBatch } from '../application/batches/readBatches';
import { startBatch } from '../application/batches/startBatch';
import { batchApprovals, batchKinds, hasEnded, itemOutcomes } from '../domain/batch/batch';
import { parseInput, type Api, type HttpDependencies } from './context';
import { batchMediaTypes, rowsOf } from './batchFile';
import { resultRoute, sendResult } from './batchResult';
import { batchSchema, itemSchema } from './batchSchemas';
import { batchFilterOf, batchQuery } from './batchQuery';
import { badCursor, encodeCursor, pageQuery } from './cursor';
import { idempotencyKey } from './refunds';
import { answers, eventStream, jsonData, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ batchId: z.string() });
const itemQuery = z.object({ outcome: z.enum(itemOutcomes).optional(), ...pageQuery });

const startQuery = z.object({
  kind: z.enum(batchKinds).default('refunds'),
  approval: z.enum(batchApprovals).default('manifest'),
  dryRun: z.enum(['true', 'false']).default('false'),
  invalidRows: z.enum(['refuse', 'leave_out']).default('refuse'),
  onBehalfOf: z.string().min(1).max(128).optional(),
});

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/batches',
    operationId: 'startBatch',
    summary: 'Thousands of refunds or documents as one run; every row is looked at before anything runs',
    security: bearer,
    request: {
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255) }),
      query: startQuery,
      body: {
        required: true,
        content: Object.fromEntries(
          batchMediaTypes.map((type) => [
            type,
            { schema: type === 'application/json' ? z.object({ items: z.array(z.unknown()) }) : z.string() },
          ]),
        ),
      },
    },
    responses: {
      ...answers(202, 'Accepted', batchSchema),
      ...problems(409, 422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/batches',
    operationId: 'listBatches',
    summary: 'Batches, newest first',
    security: bearer,
    request: { query: batchQuery },
    responses: { ...answers(200, 'A page', pageOf(batchSchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/batches/{batchId}',
    operationId: 'showBatch',
    summary: 'One batch, with its rows by what has become of them',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The batch', batchSchema), ...problems(404) },
  }),
  items: createRoute({
    method: 'get',
    path: '/v1/batches/{batchId}/items',
    operationId: 'listBatchItems',
    summary: 'Rows in the order of the file, with what has become of each; `outcome=left_out` is the report',
    security: bearer,
    request: { params: idParameter, query: itemQuery },
    responses: { ...answers(200, 'A page', pageOf(itemSchema)), ...problems(404, 422) },
  }),
  result: resultRoute,
  events: createRoute({
    method: 'get',
    path: '/v1/batches/{batchId}/events',
    operationId: 'batchEvents',
    summary: 'The batch as it changes, as server-sent events, until it has ended',
    security: bearer,
    request: { params: idParameter },
    responses: {
      ...eventStream(
        'The batch whenever it has changed',
        z.object({ event: z.literal('progress'), data: jsonData('A Batch') }),
      ),
      ...problems(404),
    },
  }),
  ...Object.fromEntries(
    batchOrders.map((order) => [
      order,
      createRoute({
        method: 'post',
        path: `/v1/batches/{batchId}/${order}`,
        operationId: `${order}Batch`,
        summary: {
          pause: 'No further row starts; those that move go on to their end',
          resume: 'Goes on with the next row',
          cancel: 'Rows that have not started never do; those that wait for people are cancelled',
        }[order],
        security: bearer,
        request: { params: idParameter },
        responses: { ...answers(200, 'The batch', batchSchema), ...problems(404, 409) },
      }),
    ]),
  ),
};

/** How often a watched batch is looked at, ms: rows that pass within milliseconds tell nobody. */
const lookEveryMs = 1_000;

/** `/v1/batches` */
export function batchRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/batches', async (c) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const { dryRun, ...query } = parseInput(startQuery, c.req.query());
    const rows = await rowsOf(c);
    const principal = c.get('principal');
    const asked = { ...query, dryRun: dryRun === 'true', rows };
    const { batchId } = await startBatch(dependencies, principal, key, asked);
    return c.json(await showBatch(dependencies, principal, batchId), 202);
  });

  api.get('/v1/batches', async (c) => {
    const filter = batchFilterOf(parseInput(batchQuery, c.req.query()));
    const { items, nextCursor } = await listBatches(dependencies, c.get('principal'), filter);
    return c.json({ items, nextCursor: encodeCursor(nextCursor) });
  });

  api.get('/v1/batches/:batchId', async (c) =>
    c.json(await showBatch(dependencies, c.get('principal'), c.req.param('batchId'))),
  );

  api.get('/v1/batches/:batchId/items', async (c) => {
    const { batchId } = c.req.param();
    await showBatch(dependencies, c.get('principal'), batchId);
    const { cursor = '0', limit, outcome } = parseInput(itemQuery, c.req.query());
    if (!/^\d{1,9}$/.test(cursor)) throw badCursor();
    const page = { after: Number(cursor), limit, ...(outcome === undefined ? {} : { outcome }) };
    const { items, next } = await listItems(dependencies, c.get('principal'), batchId, page);
    return c.json({ items, nextCursor: next === null ? null : String(next) });
  });

  api.get('/v1/batches/:batchId/result', (c) =>
    sendResult(c, dependencies, c.get('principal'), c.req.param('batchId')),
  );

  api.get('/v1/batches/:batchId/events', async (c) => {
    const { batchId } = c.req.param();
    const principal = c.get('principal');
    await showBatch(dependencies, principal, batchId);
    return streamSSE(c, async (stream) => {
      for (let seen = ''; !stream.aborted; await stream.sleep(lookEveryMs)) {
        // A key that was revoked meanwhile sees nothing more.
        if (!(await c.get('stillHeld')())) return;
        const batch = await showBatch(dependencies, principal, batchId);
        const data = JSON.stringify(batch);
        if (data !== seen) await stream.writeSSE({ event: 'progress', data });
        seen = data;
        if (hasEnded(batch.state)) return;
      }
    });
  });

  for (const order of batchOrders) {
    api.post(`/v1/batches/:batchId/${order}`, async (c) =>
      c.json(await changeBatch(dependencies, c.get('principal'), c.req.param('batchId'), order)),
    );
  }
}

import { createRoute, z } from '@hono/zod-openapi';
import { batchOrders, changeBatch } from '../application/batches/changeBatch';
import {
  batchTimeline,
  listBatches,
  listItems,
  lookAtBatch,
  showBatch,
} from '../application/batches/readBatches';
import { startBatch } from '../application/batches/startBatch';
import { batchApprovals, batchKinds, hasEnded, itemOutcomes } from '../domain/batch/batch';
import { parseInput, type Api, type HttpDependencies } from './context';
import { batchMediaTypes, rowsOf } from './batchFile';
import { resultRoute, sendResult } from './batchResult';
import { batchSchema, itemSchema } from './batchSchemas';
import { batchFilterOf, batchQuery } from './batchQuery';
import { badCursor, encodeCursor, pageQuery } from './cursor';
import { liveStream, streamLive } from './liveView';
import { orderBody, orderOf } from './orders';
import { idempotencyKey } from './refunds';
import { answers, pageOf, problems, timelineSchema } from './schemas';

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
    summary: 'Its timeline, live, as server-sent events; resumes after Last-Event-ID',
    security: bearer,
    request: { params: idParameter },
    responses: {
      ...liveStream(
        'One event per transition, and `progress` whenever it or its rows have changed; ends with the batch',
        'a Batch',
      ),
      ...problems(404),
    },
  }),
  timeline: createRoute({
    method: 'get',
    path: '/v1/batches/{batchId}/timeline',
    operationId: 'batchTimeline',
    summary: 'Every transition of the batch itself, with actor and time; the run of each row has its own',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'Its audit rows', timelineSchema), ...problems(404) },
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
        request: { params: idParameter, body: orderBody },
        responses: { ...answers(200, 'The batch', batchSchema), ...problems(404, 409, 422) },
      }),
    ]),
  ),
};

/** How often the rows of a watched batch are counted, ms: those that pass within milliseconds tell nobody. */
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
    const look = async () => {
      const { batch, transitions } = await lookAtBatch(dependencies, principal, batchId);
      return { whole: batch, transitions, ended: hasEnded(batch.state) };
    };
    return streamLive(c, dependencies, { id: batchId, look, lookEveryMs });
  });

  api.get('/v1/batches/:batchId/timeline', async (c) => {
    const { batchId } = c.req.param();
    const items = await batchTimeline(dependencies, c.get('principal'), batchId);
    return c.json({ items, nextCursor: null });
  });

  for (const order of batchOrders) {
    api.post(`/v1/batches/:batchId/${order}`, async (c) => {
      const { batchId } = c.req.param();
      const principal = c.get('principal');
      await showBatch(dependencies, principal, batchId);
      const { expectedVersion } = await orderOf(c);
      return c.json(await changeBatch(dependencies, principal, batchId, order, expectedVersion));
    });
  }
}

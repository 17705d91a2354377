import { createRoute, z } from '@hono/zod-openapi';
import { showSplit, splitRefund } from '../application/splitRefund';
import { CountersignError } from '../domain/errors';
import { splitBody } from '../domain/refund/split';
import { parseInput, readJson, type Api, type HttpDependencies } from './context';
import { idempotencyKey } from './refunds';
import { answers, problems, splitSchema } from './schemas';

const bearer = [{ bearer: [] }];

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/refunds/split',
    operationId: 'splitRefund',
    summary: 'Propose the refund of an order over several of its payments, all or nothing',
    security: bearer,
    request: {
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255) }),
      body: { required: true, content: { 'application/json': { schema: splitBody } } },
    },
    responses: {
      ...answers(202, 'Accepted: one refund for each payment that bears a part', splitSchema),
      ...problems(409, 422),
    },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/refunds/split/{splitId}',
    operationId: 'showSplitRefund',
    summary: 'The parts of a split refund, and how far they have come',
    security: bearer,
    request: { params: z.object({ splitId: z.string() }) },
    responses: { ...answers(200, 'The split', splitSchema), ...problems(404) },
  }),
};

/** `/v1/refunds/split`: one order, several payments. */
export function splitRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/refunds/split', async (c) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const json = await readJson(c);
    refuseLines(json);
    const body = parseInput(splitBody, json);
    return c.json(await splitRefund(dependencies, c.get('principal'), key, body), 202);
  });

  api.get('/v1/refunds/split/:splitId', async (c) =>
    c.json(await showSplit(dependencies, c.get('principal'), c.req.param('splitId'))),
  );
}

/** Which payment a line was paid with, nobody can say; whoever knows refunds it there. */
function refuseLines(json: unknown): void {
  if (typeof json !== 'object' || json === null) return;
  for (const path of ['lines', 'shipping']) {
    if (!Object.hasOwn(json, path)) continue;
    const message =
      'a split names no lines; refund them with POST /v1/refunds on the payment that paid for them';
    throw new CountersignError('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
  }
}

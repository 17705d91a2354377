import { createRoute, z } from '@hono/zod-openapi';
import { cancelRefund } from '../application/cancelRefund';
import { listRefunds, refundTimeline, showRefund } from '../application/readRefunds';
import { requestRefund } from '../application/requestRefund';
import { reviewRefund } from '../application/reviewRefund';
import { refundLinks } from '../application/views';
import { CountersignError } from '../domain/errors';
import { cancelBody, type CancelBody, refundBody } from '../domain/refund/request';
import { reviewBody } from '../domain/refund/review';
import { hasBody, parseInput, readBody, type Api, type HttpDependencies } from './context';
import { encodeCursor } from './cursor';
import { refundFilterOf, refundQuery } from './refundQuery';
import { acceptedSchema, answers, pageOf, problems, refundSchema, timelineSchema } from './schemas';

const bearer = [{ bearer: [] }];
const runIdParameter = z.object({ runId: z.string() });

const proposed = {
  paymentId: 'ch_3PqJ8n2eZvKYlo2C',
  amount: { value: '49.00', currency: 'USD' },
  reason: 'damaged',
  orderId: 'ORDER-42',
  note: 'The cup came broken.',
};

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/refunds',
    operationId: 'startRefund',
    summary: 'Propose a refund; the same key and body give the same run',
    security: bearer,
    request: {
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255) }),
      body: { required: true, content: { 'application/json': { schema: refundBody, example: proposed } } },
    },
    responses: {
      ...answers(202, 'Accepted', acceptedSchema),
      ...problems(409, 422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/refunds',
    operationId: 'listRefunds',
    summary: 'Refunds of the tenant, newest first',
    security: bearer,
    request: { query: refundQuery },
    responses: { ...answers(200, 'A page', pageOf(refundSchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/refunds/{runId}',
    operationId: 'showRefund',
    summary: 'One refund',
    security: bearer,
    request: { params: runIdParameter },
    responses: { ...answers(200, 'The refund', refundSchema), ...problems(404) },
  }),
  timeline: createRoute({
    method: 'get',
    path: '/v1/refunds/{runId}/timeline',
    operationId: 'refundTimeline',
    summary: 'Every transition with actor and time',
    security: bearer,
    request: { params: runIdParameter },
    responses: { ...answers(200, 'The audit rows of the run', timelineSchema), ...problems(404) },
  }),
  cancel: createRoute({
    method: 'post',
    path: '/v1/refunds/{runId}/cancel',
    operationId: 'cancelRefund',
    summary: 'Cancel while no call to the provider is on record',
    security: bearer,
    request: {
      params: runIdParameter,
      body: { required: false, content: { 'application/json': { schema: cancelBody } } },
    },
    responses: {
      ...answers(200, 'Cancelled', refundSchema),
      ...answers(202, 'On record; no worker is up', refundSchema),
      ...problems(404, 409, 422),
    },
  }),
  review: createRoute({
    method: 'post',
    path: '/v1/refunds/{runId}/review',
    operationId: 'reviewRefund',
    summary: 'Settle a refund that needs review: try again, resolve as paid, or fail',
    security: bearer,
    request: {
      params: runIdParameter,
      body: { required: true, content: { 'application/json': { schema: reviewBody } } },
    },
    responses: {
      ...answers(200, 'The run goes on', refundSchema),
      ...answers(202, 'On record; no worker is up', refundSchema),
      ...problems(404, 409, 422),
    },
  }),
};

/** `/v1/refunds`: bodies are read in the handlers, so that refusals come in the settled order 401, 404, 422, 403, 409. */
export function refundRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/refunds', async (c) => {
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const body = await readBody(c, refundBody);
    const run = await requestRefund(dependencies, c.get('principal'), key, body);
    return c.json({ runId: run.runId, phase: run.phase, links: refundLinks(run.runId) }, 202);
  });

  api.get('/v1/refunds', async (c) => {
    const filter = refundFilterOf(parseInput(refundQuery, c.req.query()));
    const { items, nextCursor } = await listRefunds(dependencies, c.get('principal'), filter);
    return c.json({ items, nextCursor: encodeCursor(nextCursor) });
  });

  api.get('/v1/refunds/:runId', async (c) =>
    c.json(await showRefund(dependencies, c.get('principal'), c.req.param('runId'))),
  );

  api.get('/v1/refunds/:runId/timeline', async (c) => {
    const items = await refundTimeline(dependencies, c.get('principal'), c.req.param('runId'));
    return c.json({ items, nextCursor: null });
  });

  api.post('/v1/refunds/:runId/cancel', async (c) => {
    const runId = c.req.param('runId');
    const principal = c.get('principal');
    let body: CancelBody = {};
    if (hasBody(c)) {
      await showRefund(dependencies, principal, runId);
      body = await readBody(c, cancelBody);
    }
    const { status, refund } = await cancelRefund(dependencies, principal, runId, body);
    return c.json(refund, status === 'recorded' ? 202 : 200);
  });

  api.post('/v1/refunds/:runId/review', async (c) => {
    const runId = c.req.param('runId');
    await showRefund(dependencies, c.get('principal'), runId);
    const body = await readBody(c, reviewBody);
    const { status, refund } = await reviewRefund(dependencies, c.get('principal'), runId, body);
    return c.json(refund, status === 'recorded' ? 202 : 200);
  });
}

export function idempotencyKey(header: string | undefined): string {
  if (header === undefined || header.trim() === '') throw new CountersignError('idempotency_key_required');
  if (header.length > 255 || !/^[!-~]+$/.test(header)) {
    throw new CountersignError(
      'invalid_request',
      'Idempotency-Key: up to 255 letters, digits and signs without spaces',
      {
        issues: [{ path: 'Idempotency-Key', message: 'up to 255 letters, digits and signs without spaces' }],
      },
    );
  }
  return header;
}

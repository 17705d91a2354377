import { createRoute, z } from '@hono/zod-openapi';
import { forkRefund } from '../application/forkRefund';
import { differenceInPast, pastStates } from '../application/pastStates';
import { showRefund } from '../application/readRefunds';
import { refundLinks } from '../application/views';
import { phases } from '../domain/contract';
import { forkBody } from '../domain/past/fork';
import { pastPointText } from '../domain/past/points';
import { refundReasons } from '../domain/refund/request';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { idempotencyKey } from './refunds';
import { acceptedSchema, amountSchema, answers, json, orNull, pageOf, problems, time } from './schemas';

const bearer = [{ bearer: [] }];
const params = z.object({ runId: z.string() });
const point = z
  .union([z.int().min(1).max(2_147_483_647), z.iso.datetime({ offset: true })])
  .openapi({ description: 'The number of an event, or a time as ISO 8601' });
const statesQuery = z.object({ at: pastPointText.optional() });
const differenceQuery = z.object({ from: pastPointText, to: pastPointText });

const example = { at: 4, amount: { value: '39.00', currency: 'USD' }, note: 'The saucer is whole.' };

const happened = { seq: z.number().int(), at: time, actor: z.string(), event: z.string() };
const changes = z
  .array(z.object({ what: z.string(), before: json.nullable(), after: json.nullable() }))
  .openapi({ description: 'Every member that differs, by its name in the state' });

export const pastStateSchema = z
  .object({
    ...happened,
    state: z.object({
      phase: z.enum(phases),
      paymentId: z.string().nullable(),
      amount: orNull(amountSchema),
      amountBy: z.string().nullable(),
      reason: z.enum(refundReasons).nullable(),
      money: z.enum(['none', 'reserved', 'unknown', 'paid', 'freed']),
      approval: z
        .object({
          revision: z.number().int(),
          status: z.enum(['open', 'approved', 'rejected', 'expired', 'cancelled']),
          votes: z.array(z.string()).nullable(),
          needed: z.number().int().nullable(),
          deadline: time.nullable(),
          escalatedTo: z.array(z.string()),
        })
        .nullable(),
      policyVersion: z.string().nullable(),
      effectKey: z.string().nullable(),
      refundId: z.string().nullable(),
      review: z.string().nullable(),
      code: z.string().nullable(),
    }),
    changes,
  })
  .openapi('PastState', { description: 'What a run was after one event of its audit log' });

export const pastDifferenceSchema = z
  .object({ runId: z.string(), from: z.object(happened), to: z.object(happened), changes })
  .openapi('PastDifference');

const routes = [
  createRoute({
    method: 'get',
    path: '/v1/refunds/{runId}/states',
    operationId: 'refundStates',
    summary: 'What the run was after every event, or at one point of its past',
    security: bearer,
    request: { params, query: z.object({ at: point.optional() }) },
    responses: {
      ...answers(200, 'Oldest first; of one point, the state that held then', pageOf(pastStateSchema)),
      ...problems(404, 422),
    },
  }),
  createRoute({
    method: 'get',
    path: '/v1/refunds/{runId}/states/difference',
    operationId: 'refundStatesDifference',
    summary: 'How the run differs between two points of its past',
    security: bearer,
    request: { params, query: z.object({ from: point, to: point }) },
    responses: { ...answers(200, 'What differs', pastDifferenceSchema), ...problems(404, 422) },
  }),
  createRoute({
    method: 'post',
    path: '/v1/refunds/{runId}/fork',
    operationId: 'forkRefund',
    summary: 'Start another run from a point in the past of this one, with changed inputs',
    description:
      'A refund like any other, with keys, a hold on the balance and an approval of its own; whoever asked for this one approves neither.',
    security: bearer,
    request: {
      params,
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255) }),
      body: { required: true, content: { 'application/json': { schema: forkBody, example } } },
    },
    responses: {
      ...answers(202, 'Accepted', acceptedSchema),
      ...problems(404, 409, 422),
    },
  }),
];

/** `/v1/refunds/{runId}/states` and `…/fork`: a run's past, and another run from it. */
export function refundPastRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/refunds/:runId/states', async (c) => {
    const runId = c.req.param('runId');
    await showRefund(dependencies, c.get('principal'), runId);
    const { at } = parseInput(statesQuery, c.req.query());
    return c.json({
      items: await pastStates(dependencies, c.get('principal'), runId, at),
      nextCursor: null,
    });
  });

  api.get('/v1/refunds/:runId/states/difference', async (c) => {
    const runId = c.req.param('runId');
    await showRefund(dependencies, c.get('principal'), runId);
    const points = parseInput(differenceQuery, c.req.query());
    return c.json(await differenceInPast(dependencies, c.get('principal'), runId, points));
  });

  api.post('/v1/refunds/:runId/fork', async (c) => {
    const origin = c.req.param('runId');
    const principal = c.get('principal');
    await showRefund(dependencies, principal, origin);
    const key = idempotencyKey(c.req.header('idempotency-key'));
    const body = await readBody(c, forkBody);
    const { runId, phase } = await forkRefund(dependencies, principal, origin, key, body);
    return c.json({ runId, phase, links: refundLinks(runId) }, 202);
  });
}

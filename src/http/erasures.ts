import { createRoute, z } from '@hono/zod-openapi';
import {
  cancelErasure,
  confirmErasure,
  listErasures,
  requestErasure,
  showErasure,
} from '../application/erasures';
import { newErasure } from '../domain/erasure/bodies';
import { erasureObstacles, erasureStates } from '../domain/erasure/erasure';
import { readBody, type Api, type HttpDependencies } from './context';
import { answers, orNull, pageOf, problems, time } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
const counts = z.record(z.string(), z.number().int()).openapi({ description: 'Rows by table' });

export const erasureSchema = z
  .object({
    id: z.string(),
    state: z.enum(erasureStates),
    person: z.string().nullable().openapi({ description: 'Null when it is over: nothing keeps the id' }),
    own: z.boolean().openapi({ description: 'Asked for by the person himself' }),
    requestedBy: z.string(),
    requestedAt: time,
    confirmedBy: z.string().nullable(),
    waitingFor: z
      .array(
        z.object({
          code: z.enum(erasureObstacles),
          count: z.number().int(),
          tables: z.array(z.string()).optional(),
        }),
      )
      .describe('It goes on by itself'),
    report: orNull(
      z.object({
        erased: counts,
        histories: z
          .number()
          .int()
          .openapi({ description: 'Refunds of which Temporal has nothing any more' }),
        looked: counts,
        kept: z.record(z.string(), z.object({ rows: z.number().int(), reason: z.string() })),
      }),
    ),
    finishedAt: time.nullable(),
  })
  .openapi('Erasure');

const routes = {
  request: createRoute({
    method: 'post',
    path: '/v1/erasures',
    operationId: 'requestErasure',
    summary: 'Erase a person: oneself, or, as an administrator, somebody else once another one confirms',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: newErasure } } } },
    responses: {
      ...answers(202, 'Asked for; the same one while it is open', erasureSchema),
      ...problems(422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/erasures',
    operationId: 'listErasures',
    summary: 'The newest erasures; administrators only',
    security: bearer,
    responses: { ...answers(200, 'A page', pageOf(erasureSchema)) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/erasures/{id}',
    operationId: 'showErasure',
    summary: 'One erasure with its report; for administrators and whoever asked for it',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The erasure', erasureSchema), ...problems(404) },
  }),
  confirm: createRoute({
    method: 'post',
    path: '/v1/erasures/{id}/confirm',
    operationId: 'confirmErasure',
    summary: 'Confirm what another administrator has asked for; it begins, and can not be called back',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'Confirmed', erasureSchema), ...problems(404, 409) },
  }),
  cancel: createRoute({
    method: 'post',
    path: '/v1/erasures/{id}/cancel',
    operationId: 'cancelErasure',
    summary: 'Give it up while nobody has confirmed it; administrators only',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'Given up', erasureSchema), ...problems(404, 409) },
  }),
};

/** `/v1/erasures` */
export function erasureRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/erasures', async (c) => {
    const { person } = await readBody(c, newErasure);
    return c.json(await requestErasure(dependencies, c.get('principal'), person), 202);
  });

  api.get('/v1/erasures', async (c) =>
    c.json({ items: await listErasures(dependencies, c.get('principal')), nextCursor: null }),
  );

  api.get('/v1/erasures/:id', async (c) =>
    c.json(await showErasure(dependencies, c.get('principal'), c.req.param('id'))),
  );

  // Whoever may not see it gets the 404 of an unknown one.
  api.post('/v1/erasures/:id/confirm', async (c) => {
    const { id } = await showErasure(dependencies, c.get('principal'), c.req.param('id'));
    return c.json(await confirmErasure(dependencies, c.get('principal'), id));
  });

  api.post('/v1/erasures/:id/cancel', async (c) => {
    const { id } = await showErasure(dependencies, c.get('principal'), c.req.param('id'));
    return c.json(await cancelErasure(dependencies, c.get('principal'), id));
  });
}

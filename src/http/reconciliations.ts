import { createRoute, z } from '@hono/zod-openapi';
import {
  dismissDifference,
  listDifferences,
  listReconciliations,
  showDifference,
  showReconciliation,
  startReconciliation,
} from '../application/reconcile';
import {
  defaultWindowDays,
  differenceKinds,
  differenceStatuses,
  reconciliationStates,
} from '../domain/reconciliation/difference';
import { freeText } from '../domain/refund/request';
import type { DifferenceFilter, ListPosition } from '../ports/reconciliations';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { decodeCursor, encodeCursor, pageQuery } from './cursor';
import { answers, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
const time = z.iso.datetime();
const figures = z.record(z.string(), z.string()).nullable().openapi({
  description: 'Amounts with their currency, or words; null where there is nothing on that side',
});

export const reconciliationSchema = z
  .object({
    id: z.string(),
    state: z.enum(reconciliationStates),
    requestedBy: z.string().describe('A person, or schedule'),
    window: z.object({ from: time, to: time }),
    pages: z.number().int(),
    compared: z.number().int().openapi({ description: 'Payments' }),
    inFlight: z
      .number()
      .int()
      .openapi({ description: 'Payments left for the next time, since something had just moved there' }),
    differences: z.number().int(),
    errorCode: z.string().nullable(),
    startedAt: time,
    finishedAt: time.nullable(),
  })
  .openapi('Reconciliation');

export const differenceSchema = z
  .object({
    id: z.string(),
    kind: z.enum(differenceKinds),
    status: z.enum(differenceStatuses),
    paymentId: z.string(),
    refundId: z.string().nullable(),
    runId: z.string().nullable(),
    reconciliationId: z.string().describe('The one that saw it last'),
    ours: figures,
    theirs: figures,
    explanation: z.string().describe('In plain words'),
    firstSeenAt: time,
    lastSeenAt: time,
    resolvedAt: time.nullable(),
    dismissedBy: z.string().nullable(),
    comment: z.string().nullable(),
  })
  .openapi('Difference');

const startBody = z.strictObject({ windowDays: z.int().min(1).max(366).optional() });
export const dismissBody = z.strictObject({ comment: freeText.trim().min(1).max(2000) });
const listQuery = z.object(pageQuery);
export const differenceQuery = z.object({ status: z.enum(differenceStatuses).optional(), ...pageQuery });

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/reconciliations',
    operationId: 'startReconciliation',
    summary: "Compare our books with the provider's now; administrators and the reviewing group",
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: startBody } } } },
    responses: {
      ...answers(202, 'Started', reconciliationSchema),
      ...problems(422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/reconciliations',
    operationId: 'listReconciliations',
    summary: 'Reconciliations, newest first',
    security: bearer,
    request: { query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(reconciliationSchema)), ...problems(422) },
  }),
  differences: createRoute({
    method: 'get',
    path: '/v1/reconciliations/differences',
    operationId: 'listDifferences',
    summary: 'What reconciliations have found, oldest first',
    security: bearer,
    request: { query: differenceQuery },
    responses: { ...answers(200, 'A page', pageOf(differenceSchema)), ...problems(422) },
  }),
  difference: createRoute({
    method: 'get',
    path: '/v1/reconciliations/differences/{id}',
    operationId: 'showDifference',
    summary: 'One difference',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The difference', differenceSchema), ...problems(404) },
  }),
  dismiss: createRoute({
    method: 'post',
    path: '/v1/reconciliations/differences/{id}/dismiss',
    operationId: 'dismissDifference',
    summary: 'A person of the reviewing group has looked at it and needs no more of it',
    security: bearer,
    request: {
      params: idParameter,
      body: { required: true, content: { 'application/json': { schema: dismissBody } } },
    },
    responses: {
      ...answers(200, 'Dismissed', differenceSchema),
      ...problems(404, 409, 422),
    },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/reconciliations/{id}',
    operationId: 'showReconciliation',
    summary: 'One reconciliation',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The reconciliation', reconciliationSchema), ...problems(404) },
  }),
};

/** `/v1/reconciliations` */
export function reconciliationRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/reconciliations', async (c) => {
    const { windowDays = defaultWindowDays } = await readBody(c, startBody);
    return c.json(await startReconciliation(dependencies, c.get('principal'), windowDays), 202);
  });

  api.get('/v1/reconciliations', async (c) => {
    const { cursor, limit } = parseInput(listQuery, c.req.query());
    const page = await listReconciliations(dependencies, c.get('principal'), {
      limit,
      ...positionOf(cursor),
    });
    return c.json({ items: page.items, nextCursor: cursorOf(page.nextCursor) });
  });

  api.get('/v1/reconciliations/differences', async (c) => {
    const filter = differenceFilterOf(parseInput(differenceQuery, c.req.query()));
    const page = await listDifferences(dependencies, c.get('principal'), filter);
    return c.json({ items: page.items, nextCursor: cursorOf(page.nextCursor) });
  });

  api.get('/v1/reconciliations/differences/:id', async (c) =>
    c.json(await showDifference(dependencies, c.get('principal'), c.req.param('id'))),
  );

  api.post('/v1/reconciliations/differences/:id/dismiss', async (c) => {
    const id = c.req.param('id');
    await showDifference(dependencies, c.get('principal'), id);
    const { comment } = await readBody(c, dismissBody);
    return c.json(await dismissDifference(dependencies, c.get('principal'), id, comment));
  });

  api.get('/v1/reconciliations/:id', async (c) =>
    c.json(await showReconciliation(dependencies, c.get('principal'), c.req.param('id'))),
  );
}

export function differenceFilterOf({
  status,
  cursor,
  limit,
}: z.infer<typeof differenceQuery>): DifferenceFilter {
  return { limit, ...(status === undefined ? {} : { status }), ...positionOf(cursor) };
}

function positionOf(cursor: string | undefined): { cursor?: ListPosition } {
  if (cursor === undefined) return {};
  const [at, id] = decodeCursor(cursor);
  return { cursor: { at, id } };
}

export function cursorOf(position: ListPosition | null): string | null {
  return encodeCursor(position && { at: position.at, id: position.id });
}

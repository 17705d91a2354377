import { createRoute, z } from '@hono/zod-openapi';
import { decide, signDecision } from '../application/decide';
import { listApprovals, showApproval } from '../application/readInbox';
import { decisionBody } from '../domain/approval/decision';
import { freeText } from '../domain/refund/request';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { decodeCursor, encodeCursor, pageQuery } from './cursor';
import { answers, approvalSchema, pageOf, problems, recordedSchema } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const listQuery = z.object({
  status: z.enum(['open', 'approved', 'rejected', 'expired', 'cancelled']).optional(),
  group: freeText.min(1).max(64).optional(),
  min_age: z
    .string()
    .regex(/^\d{1,6}[smhd]?$/, 'a number of seconds, or with a unit: 90s, 15m, 24h, 3d')
    .optional(),
  ...pageQuery,
});

const routes = {
  list: createRoute({
    method: 'get',
    path: '/v1/approvals',
    operationId: 'listApprovals',
    summary: 'The inbox, oldest first',
    security: bearer,
    request: { query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(approvalSchema)), ...problems(401, 422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/approvals/{id}',
    operationId: 'showApproval',
    summary: 'The exact action, arguments, evidence and votes',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The approval', approvalSchema), ...problems(401, 404) },
  }),
  decide: createRoute({
    method: 'post',
    path: '/v1/approvals/{id}/decisions',
    operationId: 'decide',
    summary: 'Approve, edit or reject exactly the revision that proposalHash names',
    security: bearer,
    request: {
      params: idParameter,
      body: { required: true, content: { 'application/json': { schema: decisionBody } } },
    },
    responses: {
      ...answers(200, 'Applied: the new state', approvalSchema),
      ...answers(202, 'On record; no worker is up', recordedSchema),
      ...problems(400, 401, 403, 404, 409, 413, 415, 422),
    },
  }),
  sign: createRoute({
    method: 'post',
    path: '/v1/approvals/{id}/signatures',
    operationId: 'signDecision',
    summary: 'A signed decision for tools that can only signal a workflow; nothing is decided yet',
    security: bearer,
    request: {
      params: idParameter,
      body: { required: true, content: { 'application/json': { schema: decisionBody } } },
    },
    responses: {
      ...answers(
        200,
        'The signed decision',
        z.object({ jws: z.string(), workflowId: z.string(), signal: z.string() }),
      ),
      ...problems(400, 401, 403, 404, 409, 413, 415, 422),
    },
  }),
};

/** `/v1/approvals` */
export function approvalRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.get('/v1/approvals', async (c) => {
    const { status, group, min_age, cursor, limit } = parseInput(listQuery, c.req.query());
    const position = cursor === undefined ? undefined : decodeCursor(cursor);
    const { items, nextCursor } = await listApprovals(dependencies, c.get('principal'), {
      limit,
      ...(status === undefined ? {} : { status }),
      ...(group === undefined ? {} : { group }),
      ...(min_age === undefined ? {} : { openedBefore: Date.now() - ageMs(min_age) }),
      ...(position === undefined ? {} : { cursor: { openedAt: position[0], id: position[1] } }),
    });
    return c.json({
      items,
      nextCursor: encodeCursor(nextCursor && { at: nextCursor.openedAt, id: nextCursor.id }),
    });
  });

  api.get('/v1/approvals/:id', async (c) =>
    c.json(await showApproval(dependencies, c.get('principal'), c.req.param('id'))),
  );

  api.post('/v1/approvals/:id/decisions', async (c) => {
    const id = c.req.param('id');
    const principal = c.get('principal');
    await showApproval(dependencies, principal, id);
    const body = await readBody(c, decisionBody);
    const outcome = await decide(dependencies, principal, id, body, 'api');
    if (outcome.status === 'recorded') return c.json(outcome, 202);
    return c.json(outcome.approval, 200);
  });

  api.post('/v1/approvals/:id/signatures', async (c) => {
    const id = c.req.param('id');
    const principal = c.get('principal');
    await showApproval(dependencies, principal, id);
    const body = await readBody(c, decisionBody);
    return c.json(await signDecision(dependencies, principal, id, body));
  });
}

function ageMs(age: string): number {
  const unit = age.at(-1) as keyof typeof unitMs;
  return unit in unitMs ? Number(age.slice(0, -1)) * unitMs[unit] : Number(age) * unitMs.s;
}

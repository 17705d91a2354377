import { createRoute, z } from '@hono/zod-openapi';
import { decide } from '../application/decide';
import {
  countApprovals,
  inboxDaily,
  listApprovals,
  requireApproval,
  showApproval,
} from '../application/readInbox';
import { signDecision } from '../application/signDecision';
import { decisionBody } from '../domain/approval/decision';
import { isTimeZone } from '../domain/time/days';
import { parseInput, readBody, type Api, type ApiContext, type HttpDependencies } from './context';
import { encodeCursor } from './cursor';
import { inboxQuery, inboxQueryOf } from './inboxQuery';
import { requireScope } from './scopes';
import { approvalSchema, recordedSchema } from './approvalSchemas';
import { answers, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
const countsSchema = z
  .object({
    countedTo: z.number().int().describe('Where counting stops'),
    open: z.number().int(),
    claimedByMe: z.number().int(),
    dueWithin24h: z.number().int(),
    byGroup: z.record(z.string(), z.number().int()),
  })
  .openapi('ApprovalCounts');

const lowering = {
  decision: 'edit',
  proposalHash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  arguments: { amount: { value: '30.00', currency: 'USD' } },
  comment: 'One of the two cups was whole.',
};

const daySchema = z
  .object({
    date: z.iso.date(),
    opened: z.number().int(),
    decided: z.number().int().openapi({ description: 'Approved or rejected by people' }),
    lapsed: z.number().int().openapi({ description: 'Expired or cancelled' }),
    waiting: z.number().int().openapi({ description: 'At the end of the day; now, for today' }),
    medianMs: z
      .number()
      .int()
      .nullable()
      .openapi({ description: 'From opening to decision, ms, of those that were decided that day' }),
  })
  .openapi('ApprovalDay');

const dailyQuery = z.object({
  timeZone: z
    .string()
    .refine(isTimeZone, 'an IANA time zone, such as Europe/Berlin')
    .default('UTC')
    .openapi({ description: 'Whose days are counted: an IANA name', example: 'Europe/Berlin' }),
});

const routes = {
  list: createRoute({
    method: 'get',
    path: '/v1/approvals',
    operationId: 'listApprovals',
    summary: 'The inbox: filtered, sorted and searched',
    security: bearer,
    request: { query: inboxQuery },
    responses: { ...answers(200, 'A page', pageOf(approvalSchema)), ...problems(422) },
  }),
  counts: createRoute({
    method: 'get',
    path: '/v1/approvals/counts',
    operationId: 'countApprovals',
    summary: 'How much waits, counted up to countedTo',
    security: bearer,
    responses: { ...answers(200, 'Counts of open approvals', countsSchema) },
  }),
  daily: createRoute({
    method: 'get',
    path: '/v1/approvals/daily',
    operationId: 'approvalsByDay',
    summary: 'What came in, was decided and waited on each of the last 14 days, oldest first',
    security: bearer,
    request: { query: dailyQuery },
    responses: { ...answers(200, 'Every day once', pageOf(daySchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/approvals/{id}',
    operationId: 'showApproval',
    summary: 'The exact action, arguments, evidence and votes',
    security: bearer,
    request: { params: idParameter },
    responses: { ...answers(200, 'The approval', approvalSchema), ...problems(404) },
  }),
  decide: createRoute({
    method: 'post',
    path: '/v1/approvals/{id}/decisions',
    operationId: 'decide',
    summary: 'Decide about, ask about or take up exactly the revision that proposalHash names',
    security: bearer,
    request: {
      params: idParameter,
      body: { required: true, content: { 'application/json': { schema: decisionBody, example: lowering } } },
    },
    responses: {
      ...answers(200, 'Applied: the new state', approvalSchema),
      ...answers(202, 'On record; no worker is up', recordedSchema),
      ...problems(404, 409, 422),
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
      body: { required: true, content: { 'application/json': { schema: decisionBody, example: lowering } } },
    },
    responses: {
      ...answers(
        200,
        'The signed decision',
        z
          .object({ jws: z.string().describe('Compact'), workflowId: z.string(), signal: z.string() })
          .openapi('SignedDecision'),
      ),
      ...problems(404, 409, 422),
    },
  }),
};

/** `/v1/approvals` */
export function approvalRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.get('/v1/approvals', async (c) => {
    const asked = parseInput(inboxQuery, c.req.query());
    const query = inboxQueryOf(asked, c.get('principal'));
    const { items, next } = await listApprovals(dependencies, c.get('principal'), query);
    return c.json({ items, nextCursor: encodeCursor(next && { order: query.order, ...next }) });
  });

  api.get('/v1/approvals/counts', async (c) =>
    c.json(await countApprovals(dependencies, c.get('principal'))),
  );

  api.get('/v1/approvals/daily', async (c) => {
    const { timeZone } = parseInput(dailyQuery, c.req.query());
    const items = await inboxDaily(dependencies, c.get('principal'), timeZone);
    return c.json({ items, nextCursor: null });
  });

  api.get('/v1/approvals/:id', async (c) =>
    c.json(await showApproval(dependencies, c.get('principal'), c.req.param('id'))),
  );

  api.post('/v1/approvals/:id/decisions', async (c) => {
    const id = c.req.param('id');
    const principal = c.get('principal');
    await requireApproval(dependencies, principal, id);
    const body = await readBody(c, decisionBody);
    requireDeciding(c, body.decision);
    const outcome = await decide(dependencies, principal, id, body, 'api');
    if (outcome.status === 'recorded') return c.json(outcome, 202);
    return c.json(outcome.approval, 200);
  });

  api.post('/v1/approvals/:id/signatures', async (c) => {
    const id = c.req.param('id');
    const principal = c.get('principal');
    await requireApproval(dependencies, principal, id);
    const body = await readBody(c, decisionBody);
    requireDeciding(c, body.decision);
    return c.json(await signDecision(dependencies, principal, id, body));
  });
}

/** A service answers what a reviewer asks, with a key that can do nothing else here. */
function requireDeciding(c: ApiContext, decision: string): void {
  requireScope(
    c,
    decision === 'answer_info' ? ['approvals:answer', 'approvals:decide'] : ['approvals:decide'],
  );
}

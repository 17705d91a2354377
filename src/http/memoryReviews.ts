import { createRoute, z } from '@hono/zod-openapi';
import { admitAdministrator } from '../application/admin/administer';
import {
  holdSource,
  listCandidates,
  listHeldSources,
  listHolds,
  quarantineMemory,
  releaseMemory,
  releaseSource,
  reviewCandidate,
  showCandidate,
} from '../application/memoryReviews';
import { candidateStatuses, holdBody, reviewBody, sourceBody, sourceHoldBody } from '../domain/memory/review';
import { parseInput, readBody, type Api, type ApiContext, type HttpDependencies } from './context';
import { decodeCursor, encodeCursor, pageQuery } from './cursor';
import { idParameter, ownerQuery } from './memories';
import {
  candidateSchema,
  candidateView,
  holdSchema,
  holdView,
  reportSchema,
  reportView,
  reviewedSchema,
  sourceSchema,
  sourceView,
} from './memoryReviewViews';
import type { RefusalStatus } from './refusals';
import { answers, pageOf, problems } from './schemas';

const queueQuery = z.object({ status: z.enum(candidateStatuses).default('waiting'), ...pageQuery });
const holdsQuery = z.object(pageQuery);
const json = <Schema extends z.ZodType>(schema: Schema) => ({
  required: true,
  content: { 'application/json': { schema } },
});

interface Call {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Administrators only, unless it says otherwise. */
  readonly forWhom?: string;
  readonly request?: Parameters<typeof createRoute>[0]['request'];
  readonly answer: z.ZodType | undefined;
  readonly refusals: readonly RefusalStatus[];
}

function route({ method, path, operationId, summary, forWhom, request, answer, refusals }: Call) {
  return createRoute({
    method,
    path: `/v1/memories${path}`,
    operationId,
    summary: `${summary}; ${forWhom ?? 'administrators only'}`,
    security: [{ bearer: [] }],
    ...(request === undefined ? {} : { request }),
    responses: {
      ...(answer === undefined ? { 204: { description: 'Done' } } : answers(200, 'As it is now', answer)),
      ...problems(...refusals),
    },
  });
}

const routes = [
  route({
    method: 'get',
    path: '/candidates',
    operationId: 'listMemoryCandidates',
    summary: 'What waits for a person before it may be remembered, oldest first',
    request: { query: queueQuery },
    answer: pageOf(candidateSchema),
    refusals: [422],
  }),
  route({
    method: 'get',
    path: '/candidates/{id}',
    operationId: 'showMemoryCandidate',
    summary: 'One of them, with the hash that a decision names',
    forWhom: 'for administrators, and whoever proposed it',
    request: { params: idParameter },
    answer: candidateSchema,
    refusals: [404],
  }),
  route({
    method: 'post',
    path: '/candidates/{id}/decisions',
    operationId: 'reviewMemoryCandidate',
    summary: 'Approve or reject exactly the candidate that was read',
    request: { params: idParameter, body: json(reviewBody) },
    answer: reviewedSchema,
    refusals: [404, 409, 422],
  }),
  route({
    method: 'get',
    path: '/holds',
    operationId: 'listMemoryHolds',
    summary: 'Memories that are not believed because somebody holds them, oldest first',
    request: { query: holdsQuery },
    answer: pageOf(holdSchema),
    refusals: [422],
  }),
  route({
    method: 'post',
    path: '/{id}/quarantine',
    operationId: 'quarantineMemory',
    summary: 'Believe a memory no more, until it is released',
    request: { params: idParameter, query: ownerQuery, body: json(holdBody) },
    answer: holdSchema,
    refusals: [404, 422],
  }),
  route({
    method: 'delete',
    path: '/{id}/quarantine',
    operationId: 'releaseMemory',
    summary: 'Believe it again; a quarantine of its source stays',
    request: { params: idParameter, query: ownerQuery },
    answer: undefined,
    refusals: [404, 422],
  }),
  route({
    method: 'get',
    path: '/sources',
    operationId: 'listHeldSources',
    summary: 'Sources that are held, from which nothing more is learnt',
    answer: z.object({ items: z.array(sourceSchema) }),
    refusals: [],
  }),
  ...(['quarantine', 'revoke'] as const).map((verb) =>
    route({
      method: 'post',
      path: `/sources/${verb}`,
      operationId: verb === 'revoke' ? 'revokeMemorySource' : 'quarantineMemorySource',
      summary: `Everything learnt from one source, of all owners: ${verb === 'revoke' ? 'believed never again' : 'believed no more until it is released'}`,
      request: { body: json(sourceHoldBody) },
      answer: reportSchema,
      refusals: [422],
    }),
  ),
  route({
    method: 'post',
    path: '/sources/release',
    operationId: 'releaseMemorySource',
    summary: 'Learn from it again and end its quarantine; what was revoked stays so',
    request: { body: json(sourceBody) },
    answer: z.object({ id: z.string(), released: z.number().int() }),
    refusals: [404, 422],
  }),
];

/** What administrators do about memory. Comes before `/v1/memories/{id}`, which would take `candidates` for an id. */
export function memoryReviewRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const documented of routes) api.openAPIRegistry.registerPath(documented);
  const admitted = async (c: ApiContext) => {
    const attempt = c.req.method === 'GET' ? undefined : 'govern memory';
    await admitAdministrator(dependencies, c.get('principal'), attempt);
    return c.get('principal');
  };

  api.get('/v1/memories/candidates', async (c) => {
    const principal = await admitted(c);
    const { status, cursor, limit } = parseInput(queueQuery, c.req.query());
    const page = await listCandidates(dependencies, principal, { status, limit, ...positionOf(cursor) });
    return c.json({ items: page.items.map(candidateView), nextCursor: encodeCursor(ordered(page.next)) });
  });

  api.get('/v1/memories/candidates/:id', async (c) =>
    c.json(candidateView(await showCandidate(dependencies, c.get('principal'), c.req.param('id')))),
  );

  api.post('/v1/memories/candidates/:id/decisions', async (c) => {
    const principal = await admitted(c);
    const body = await readBody(c, reviewBody);
    const { candidate, decision } = await reviewCandidate(dependencies, principal, c.req.param('id'), body);
    return c.json({ candidate: candidateView(candidate), decision });
  });

  api.get('/v1/memories/holds', async (c) => {
    const principal = await admitted(c);
    const { cursor, limit } = parseInput(holdsQuery, c.req.query());
    const page = await listHolds(dependencies, principal, { limit, ...positionOf(cursor) });
    return c.json({ items: page.items.map(holdView), nextCursor: encodeCursor(ordered(page.next)) });
  });

  api.get('/v1/memories/sources', async (c) => {
    const items = await listHeldSources(dependencies, await admitted(c));
    return c.json({ items: items.map(sourceView) });
  });

  for (const [verb, hold] of [['quarantine', 'quarantine'] as const, ['revoke', 'revocation'] as const]) {
    api.post(`/v1/memories/sources/${verb}`, async (c) => {
      const principal = await admitted(c);
      const body = await readBody(c, sourceHoldBody);
      return c.json(reportView(await holdSource(dependencies, principal, hold, body)));
    });
  }

  api.post('/v1/memories/sources/release', async (c) => {
    const principal = await admitted(c);
    const { source } = await readBody(c, sourceBody);
    return c.json(await releaseSource(dependencies, principal, source));
  });

  api.post('/v1/memories/:id/quarantine', async (c) => {
    const principal = await admitted(c);
    const { owner = principal.id } = parseInput(ownerQuery, c.req.query());
    const words = await readBody(c, holdBody);
    const id = c.req.param('id');
    return c.json(holdView(await quarantineMemory(dependencies, principal, owner, id, words)));
  });

  api.delete('/v1/memories/:id/quarantine', async (c) => {
    const principal = await admitted(c);
    const { owner = principal.id } = parseInput(ownerQuery, c.req.query());
    await releaseMemory(dependencies, principal, owner, c.req.param('id'));
    return c.body(null, 204);
  });
}

function positionOf(cursor: string | undefined): { after?: { at: string; id: string } } {
  if (cursor === undefined) return {};
  const [at, id] = decodeCursor(cursor);
  return { after: { at, id } };
}

function ordered(position: { readonly at: string; readonly id: string } | null) {
  return position && { at: position.at, id: position.id };
}

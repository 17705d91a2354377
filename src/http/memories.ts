import { createRoute, z } from '@hono/zod-openapi';
import {
  findMemory,
  forgetMemory,
  listMemories,
  memoryBody,
  pinMemory,
  proposeMemory,
  unpinMemory,
} from '../application/memory';
import {
  confirmationBody,
  confirmMemory,
  correctionBody,
  correctMemory,
} from '../application/memoryCorrections';
import { askPeople } from '../application/memoryProposals';
import { CountersignError } from '../domain/errors';
import { mostPinned } from '../domain/memory/pins';
import type { MemoryDecision } from '../ports/memory';
import {
  hasBody,
  parseInput,
  readBody,
  readJson,
  type Api,
  type ApiContext,
  type HttpDependencies,
} from './context';
import { encodeCursor, pageQuery } from './cursor';
import { afterMemory, decisionSchema, memorySchema, memoryView } from './memoryViews';
import { answers, pageOf, problems } from './schemas';

const bearer = [{ bearer: [] }];
export const idParameter = z.object({ id: z.string() });
export const ownerQuery = z.object({ owner: z.string().max(128).optional() });
const asOf = z.iso
  .datetime({ offset: true })
  .optional()
  .openapi({ description: 'What was believed then; agents read only what is believed now' });
const oneQuery = ownerQuery.extend({ as_of: asOf });
const listQuery = ownerQuery.extend({
  ...pageQuery,
  as_of: asOf,
  state: z
    .enum(['believed', 'faded'])
    .default('believed')
    .openapi({ description: '`faded`: inferred long ago, to be confirmed' }),
});
const versionPattern = '^"?(\\d{1,9})"?$';
const versionHeader = z.object({
  'if-match': z.string().optional().openapi({
    pattern: versionPattern,
    description: 'The version that was read, "3"; "0" for none yet. Another one is 409',
  }),
});
const proposeHeaders = versionHeader.extend({
  'idempotency-key': z
    .string()
    .optional()
    .openapi({ description: 'The same key of the same owner answers as the first time' }),
});
const stored = {
  ...answers(201, 'Stored', decisionSchema),
  ...answers(202, 'Kept until an administrator has decided', decisionSchema),
};

const routes = {
  propose: createRoute({
    method: 'post',
    path: '/v1/memories',
    operationId: 'proposeMemory',
    summary: 'Put a candidate through the memory gate; only what the gate allows is stored',
    security: bearer,
    request: {
      headers: proposeHeaders,
      body: { required: true, content: { 'application/json': { schema: memoryBody } } },
    },
    responses: { ...stored, ...problems(409, 422) },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/memories',
    operationId: 'listMemories',
    summary: 'What is remembered of one owner, by default the caller',
    security: bearer,
    request: { query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(memorySchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/memories/{id}',
    operationId: 'showMemory',
    summary: 'One memory; its version is the ETag',
    security: bearer,
    request: { params: idParameter, query: oneQuery },
    responses: { ...answers(200, 'The memory', memorySchema), ...problems(404, 422) },
  }),
  correct: createRoute({
    method: 'patch',
    path: '/v1/memories/{id}',
    operationId: 'correctMemory',
    summary: 'Say what is right instead: an explicit statement in its place, through the gate',
    security: bearer,
    request: {
      params: idParameter,
      query: ownerQuery,
      headers: versionHeader,
      body: { required: true, content: { 'application/json': { schema: correctionBody } } },
    },
    responses: { ...stored, ...problems(404, 409, 422) },
  }),
  confirm: createRoute({
    method: 'post',
    path: '/v1/memories/{id}/confirm',
    operationId: 'confirmMemory',
    summary: 'Say that it is so: from then on it is an explicit statement, which does not fade',
    security: bearer,
    request: {
      params: idParameter,
      query: ownerQuery,
      headers: versionHeader,
      body: { required: false, content: { 'application/json': { schema: confirmationBody } } },
    },
    responses: { ...stored, ...problems(404, 409, 422) },
  }),
  pin: createRoute({
    method: 'post',
    path: '/v1/memories/{id}/pin',
    operationId: 'pinMemory',
    summary: `Let contexts show it first, with every later version; ${mostPinned} of one owner at most; no agents`,
    security: bearer,
    request: { params: idParameter, query: ownerQuery },
    responses: { ...answers(200, 'Pinned', memorySchema), ...problems(404, 409, 422) },
  }),
  unpin: createRoute({
    method: 'delete',
    path: '/v1/memories/{id}/pin',
    operationId: 'unpinMemory',
    summary: 'Pin it no more; no agents',
    security: bearer,
    request: { params: idParameter, query: ownerQuery },
    responses: { 204: { description: 'Not pinned' }, ...problems(404, 422) },
  }),
  forget: createRoute({
    method: 'delete',
    path: '/v1/memories/{id}',
    operationId: 'forgetMemory',
    summary: 'Remove a memory with its history',
    security: bearer,
    request: { params: idParameter, query: ownerQuery, headers: versionHeader },
    responses: { 204: { description: 'Forgotten' }, ...problems(404, 409, 422) },
  }),
};

/** `/v1/memories`: bodies go to the gate unread, so that what it refuses is nowhere else. */
export function memoryRoutes(api: Api, dependencies: HttpDependencies): void {
  const { memory } = dependencies;
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/memories', async (c) => {
    const body = await readJson(c);
    const requestKey = c.req.header('idempotency-key');
    const expectedVersion = versionOf(c);
    const options = {
      ...(requestKey === undefined ? {} : { requestKey }),
      ...(expectedVersion === undefined ? {} : { expectedVersion }),
    };
    return came(c, dependencies, await proposeMemory(memory, c.get('principal'), body, options));
  });

  api.get('/v1/memories', async (c) => {
    const { owner, cursor, limit, as_of: at, state } = parseInput(listQuery, c.req.query());
    if (at !== undefined && state === 'faded') {
      const message = 'what has faded is shown as it is now; leave as_of out';
      throw new CountersignError('invalid_request', message, { issues: [{ path: 'as_of', message }] });
    }
    const page = {
      limit,
      faded: state === 'faded',
      ...afterMemory(cursor),
      ...(at === undefined ? {} : { at: Date.parse(at) }),
    };
    const { items, next } = await listMemories(memory, c.get('principal'), page, owner);
    return c.json({ items: items.map(memoryView), nextCursor: encodeCursor(next) });
  });

  api.get('/v1/memories/:id', async (c) => {
    const { owner, as_of: at } = parseInput(oneQuery, c.req.query());
    const then = at === undefined ? undefined : Date.parse(at);
    const found = await findMemory(memory, c.get('principal'), c.req.param('id'), owner, then);
    c.header('etag', `"${found.version}"`);
    return c.json(memoryView(found));
  });

  api.patch('/v1/memories/:id', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    const { version = versionOf(c), ...body } = await readBody(c, correctionBody);
    const correction = { ...body, ...(version === undefined ? {} : { version }) };
    const decision = await correctMemory(memory, c.get('principal'), c.req.param('id'), correction, owner);
    return came(c, dependencies, decision);
  });

  api.post('/v1/memories/:id/confirm', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    const { version = versionOf(c) } = hasBody(c) ? await readBody(c, confirmationBody) : {};
    const named = { owner, version };
    return came(c, dependencies, await confirmMemory(memory, c.get('principal'), c.req.param('id'), named));
  });

  api.post('/v1/memories/:id/pin', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    return c.json(memoryView(await pinMemory(memory, c.get('principal'), c.req.param('id'), owner)));
  });

  api.delete('/v1/memories/:id/pin', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    await unpinMemory(memory, c.get('principal'), c.req.param('id'), owner);
    return c.body(null, 204);
  });

  api.delete('/v1/memories/:id', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    await forgetMemory(memory, c.get('principal'), c.req.param('id'), owner, versionOf(c));
    return c.body(null, 204);
  });
}

async function came(c: ApiContext, dependencies: HttpDependencies, decision: MemoryDecision) {
  await askPeople(dependencies, c.get('principal').tenant, decision);
  return c.json(decision, decision.memoryId === null ? 202 : 201);
}

/** @throws CountersignError invalid_request for what is no version */
function versionOf(c: ApiContext): number | undefined {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  const digits = new RegExp(versionPattern).exec(header)?.[1];
  if (digits !== undefined) return Number(digits);
  const message = 'a version, such as "3"';
  throw new CountersignError('invalid_request', `If-Match: ${message}`, {
    issues: [{ path: 'if-match', message }],
  });
}

import { createRoute, z } from '@hono/zod-openapi';
import { appendTurns } from '../application/appendTurns';
import {
  listThreads,
  listTurns,
  openThread,
  startThread,
  threadBody,
  threadView,
} from '../application/threads';
import { appendBody, turnRoles } from '../domain/thread/turn';
import { parseInput, readBody, type Api, type HttpDependencies } from './context';
import { decodeCursor, decodePosition, encodeCursor, pageQuery } from './cursor';
import { idempotencyKey } from './refunds';
import { answers, pageOf, problems, time } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
export const threadOwner = z.object({ owner: z.string().max(128).optional() });
const listQuery = threadOwner.extend(pageQuery);
const turnsQuery = listQuery.extend({
  mentions: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({ description: 'Only messages in which this id or amount stands' }),
});

export const threadSchema = z
  .object({
    id: z.string(),
    ownerId: z.string(),
    title: z.string().nullable(),
    createdBy: z.string(),
    version: z.number().int().openapi({ description: 'How many messages it has' }),
    createdAt: time,
    lastTurnAt: time.nullable(),
    links: z.object({ self: z.string(), messages: z.string(), context: z.string() }),
  })
  .openapi('Thread');

export const turnSchema = z
  .object({
    seq: z.number().int().describe('1, 2, 3 … within its thread, without gaps'),
    role: z.enum(turnRoles),
    text: z.string(),
    author: z.string().describe('The identity whose credential appended it'),
    clientMessageId: z.string().nullable(),
    toolCallId: z.string().nullable(),
    toolName: z.string().nullable(),
    runId: z.string().nullable(),
    at: time,
  })
  .openapi('ThreadMessage');

export const appendedSchema = z
  .object({ items: z.array(turnSchema), version: z.number().int() })
  .openapi('AppendedMessages');

const said = {
  messages: [{ role: 'user', text: 'The cup of ORDER-42 came broken.', clientMessageId: 'm-1' }],
};

const routes = {
  start: createRoute({
    method: 'post',
    path: '/v1/threads',
    operationId: 'startThread',
    summary: 'Begin a thread of one owner, by default the caller; the same key gives the same thread',
    security: bearer,
    request: {
      headers: z.object({ 'Idempotency-Key': z.string().min(1).max(255).optional() }),
      body: { required: true, content: { 'application/json': { schema: threadBody } } },
    },
    responses: {
      ...answers(201, 'The thread', threadSchema),
      ...problems(409, 422),
    },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/threads',
    operationId: 'listThreads',
    summary: 'Threads of one owner, by default the caller, newest first',
    security: bearer,
    request: { query: listQuery },
    responses: { ...answers(200, 'A page', pageOf(threadSchema)), ...problems(422) },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/threads/{id}',
    operationId: 'showThread',
    summary: 'One thread',
    security: bearer,
    request: { params: idParameter, query: threadOwner },
    responses: { ...answers(200, 'The thread', threadSchema), ...problems(404, 422) },
  }),
  turns: createRoute({
    method: 'get',
    path: '/v1/threads/{id}/messages',
    operationId: 'listThreadMessages',
    summary: 'What was said in a thread, in order',
    security: bearer,
    request: { params: idParameter, query: turnsQuery },
    responses: { ...answers(200, 'A page', pageOf(turnSchema)), ...problems(404, 422) },
  }),
  append: createRoute({
    method: 'post',
    path: '/v1/threads/{id}/messages',
    operationId: 'appendThreadMessages',
    summary: 'Append messages, all or none; one that was appended under its clientMessageId is not again',
    security: bearer,
    request: {
      params: idParameter,
      query: threadOwner,
      body: { required: true, content: { 'application/json': { schema: appendBody, example: said } } },
    },
    responses: {
      ...answers(201, 'As they stand there now', appendedSchema),
      ...problems(404, 409, 422),
    },
  }),
};

/** `/v1/threads` */
export function threadRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/threads', async (c) => {
    const header = c.req.header('idempotency-key');
    const key = header === undefined ? undefined : idempotencyKey(header);
    const body = await readBody(c, threadBody);
    return c.json(await startThread(dependencies, c.get('principal'), body, key), 201);
  });

  api.get('/v1/threads', async (c) => {
    const { owner, cursor, limit } = parseInput(listQuery, c.req.query());
    const [createdAt, id] = cursor === undefined ? [] : decodeCursor(cursor);
    const after = createdAt !== undefined && id !== undefined ? { createdAt, id } : undefined;
    const { items, next } = await listThreads(dependencies, c.get('principal'), { after, limit }, owner);
    return c.json({ items, nextCursor: encodeCursor(next && { at: next.createdAt, id: next.id }) });
  });

  api.get('/v1/threads/:id', async (c) => {
    const { owner } = parseInput(threadOwner, c.req.query());
    return c.json(threadView(await openThread(dependencies, c.get('principal'), c.req.param('id'), owner)));
  });

  api.get('/v1/threads/:id/messages', async (c) => {
    const { owner } = parseInput(threadOwner, { owner: c.req.query('owner') });
    const thread = await openThread(dependencies, c.get('principal'), c.req.param('id'), owner);
    const { cursor, limit, mentions } = parseInput(turnsQuery, c.req.query());
    const [after] = cursor === undefined ? ['0'] : decodePosition(seqPosition, cursor);
    const page = { after: Number(after), limit, mentions };
    const { items, next } = await listTurns(dependencies, c.get('principal'), thread, page);
    return c.json({ items, nextCursor: encodeCursor(next === undefined ? null : { seq: String(next) }) });
  });

  api.post('/v1/threads/:id/messages', async (c) => {
    const id = c.req.param('id');
    const { owner } = parseInput(threadOwner, c.req.query());
    await openThread(dependencies, c.get('principal'), id, owner);
    const body = await readBody(c, appendBody);
    return c.json(await appendTurns(dependencies, c.get('principal'), id, body, owner), 201);
  });
}

/** Where the messages of a thread go on: after this seq. */
const seqPosition = z.tuple([z.string().regex(/^\d{1,9}$/)]);

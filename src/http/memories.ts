import { createRoute, z } from '@hono/zod-openapi';
import { findMemory, forgetMemory, listMemories, memoryBody, proposeMemory } from '../application/memory';
import { memoryKinds, memorySources } from '../domain/memory/candidate';
import type { Memory } from '../ports/memory';
import { parseInput, readJson, type Api, type HttpDependencies } from './context';
import { answers, problems } from './schemas';

const bearer = [{ bearer: [] }];
const idParameter = z.object({ id: z.string() });
const ownerQuery = z.object({ owner: z.string().max(128).optional() });
const listQuery = ownerQuery.extend({
  cursor: z.string().max(400).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
const time = z.iso.datetime();

export const memorySchema = z
  .object({
    id: z.string(),
    kind: z.enum(memoryKinds),
    key: z.string(),
    value: z.string(),
    source: z.enum(memorySources),
    confidence: z.number(),
    evidence: z.array(z.object({ kind: z.string(), ref: z.string() })),
    personal: z.boolean(),
    validFrom: time,
    expiresAt: time.nullable(),
    version: z.number().int(),
    decisionId: z.string(),
  })
  .openapi('Memory');

const decisionSchema = z
  .object({
    memoryId: z.string(),
    decisionId: z.string(),
    allowed: z.literal(true),
    ruleIds: z.array(z.string()),
    policyVersion: z.string(),
    reason: z.string(),
  })
  .openapi('MemoryDecision');

const routes = {
  propose: createRoute({
    method: 'post',
    path: '/v1/memories',
    operationId: 'proposeMemory',
    summary: 'Put a candidate through the memory gate; only what the gate allows is stored',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: memoryBody } } } },
    responses: { ...answers(201, 'Stored', decisionSchema), ...problems(400, 401, 403, 409, 413, 415, 422) },
  }),
  list: createRoute({
    method: 'get',
    path: '/v1/memories',
    operationId: 'listMemories',
    summary: 'What is remembered now of one owner, by default the caller',
    security: bearer,
    request: { query: listQuery },
    responses: {
      ...answers(
        200,
        'A page',
        z.object({ items: z.array(memorySchema), nextCursor: z.string().nullable() }),
      ),
      ...problems(401, 403, 422),
    },
  }),
  show: createRoute({
    method: 'get',
    path: '/v1/memories/{id}',
    operationId: 'showMemory',
    summary: 'One memory',
    security: bearer,
    request: { params: idParameter, query: ownerQuery },
    responses: { ...answers(200, 'The memory', memorySchema), ...problems(401, 403, 404, 422) },
  }),
  forget: createRoute({
    method: 'delete',
    path: '/v1/memories/{id}',
    operationId: 'forgetMemory',
    summary: 'Remove a memory with its history',
    security: bearer,
    request: { params: idParameter, query: ownerQuery },
    responses: { 204: { description: 'Forgotten' }, ...problems(401, 403, 404, 422) },
  }),
};

/** `/v1/memories`: bodies go to the gate unread, so that what it refuses is nowhere else. */
export function memoryRoutes(api: Api, { memory }: HttpDependencies): void {
  for (const route of Object.values(routes)) api.openAPIRegistry.registerPath(route);

  api.post('/v1/memories', async (c) => {
    const decision = await proposeMemory(memory, c.get('principal'), await readJson(c));
    return c.json(decision, 201);
  });

  api.get('/v1/memories', async (c) => {
    const { owner, cursor, limit } = parseInput(listQuery, c.req.query());
    const page = { limit, ...(cursor === undefined ? {} : { cursor }) };
    const { items, nextCursor } = await listMemories(memory, c.get('principal'), page, owner);
    return c.json({ items: items.map(memoryView), nextCursor });
  });

  api.get('/v1/memories/:id', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    return c.json(memoryView(await findMemory(memory, c.get('principal'), c.req.param('id'), owner)));
  });

  api.delete('/v1/memories/:id', async (c) => {
    const { owner } = parseInput(ownerQuery, c.req.query());
    await forgetMemory(memory, c.get('principal'), c.req.param('id'), owner);
    return c.body(null, 204);
  });
}

export function memoryView(memory: Memory) {
  const { id, kind, key, value, source, confidence, evidence, personal, version, decisionId } = memory;
  return {
    id,
    kind,
    key,
    value,
    source,
    confidence,
    evidence: [...evidence],
    personal,
    validFrom: new Date(memory.validFrom).toISOString(),
    expiresAt: memory.expiresAt === null ? null : new Date(memory.expiresAt).toISOString(),
    version,
    decisionId,
  };
}

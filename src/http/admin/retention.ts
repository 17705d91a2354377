import { z } from '@hono/zod-openapi';
import { listHolds, placeHold, releaseHold } from '../../application/admin/legalHolds';
import { retentionDue, setRetention, showRetention, startSweep } from '../../application/admin/retention';
import { holdFilter, newHold, retentionChange } from '../../domain/retention/bodies';
import { holdScopes, type RetentionRule } from '../../domain/retention/retention';
import type { LegalHold } from '../../ports/erasures';
import { parseInput, readBody, type Api, type HttpDependencies } from '../context';
import { pageOf, time } from '../schemas';
import { adminRoute } from './route';

const days = z.number().int();

const retentionSchema = z
  .object({
    runDays: days.openapi({ description: 'What finished refunds hold of persons' }),
    memoryDays: days.openapi({ description: 'Long-term memory' }),
    turnDays: days.openapi({ description: 'Conversations, after their last turn' }),
    version: z.number().int().openapi({ description: '0: nothing was set, these are the defaults' }),
    changedBy: z.string().nullable(),
    changedAt: time.nullable(),
  })
  .openapi('Retention');

const dueSchema = z
  .object({
    due: z.record(z.string(), z.number().int()).openapi({ description: 'Rows by table' }),
    holds: z.number().int().openapi({ description: 'Legal holds that stand' }),
  })
  .openapi('RetentionDue');

const holdSchema = z
  .object({
    id: z.string(),
    scope: z.enum(holdScopes),
    subject: z.string().nullable(),
    reason: z.string(),
    placedBy: z.string(),
    placedAt: time,
    releasedBy: z.string().nullable(),
    releasedAt: time.nullable(),
  })
  .openapi('LegalHold');

const routes = [
  adminRoute({
    method: 'get',
    path: '/retention',
    operationId: 'showRetention',
    summary: 'How long what is kept',
    answer: retentionSchema,
  }),
  adminRoute({
    method: 'patch',
    path: '/retention',
    operationId: 'setRetention',
    summary: 'Keep something for longer or shorter, in days',
    body: retentionChange,
    answer: retentionSchema,
  }),
  adminRoute({
    method: 'get',
    path: '/retention/due',
    operationId: 'retentionDue',
    summary: 'What a sweep would take now, without taking it',
    answer: dueSchema,
  }),
  adminRoute({
    method: 'post',
    path: '/retention/sweeps',
    operationId: 'startSweep',
    summary: 'Sweep now, besides the schedule',
    answer: z.object({ sweepId: z.string() }),
    status: 202,
  }),
  adminRoute({
    method: 'get',
    path: '/holds',
    operationId: 'listHolds',
    summary: 'Legal holds that stand, or those that were released',
    query: holdFilter,
    answer: pageOf(holdSchema),
  }),
  adminRoute({
    method: 'post',
    path: '/holds',
    operationId: 'placeHold',
    summary: 'Keep a run, a person or the tenant from sweeps and erasures',
    body: newHold,
    answer: holdSchema,
    status: 201,
  }),
  adminRoute({
    method: 'post',
    path: '/holds/{id}/release',
    operationId: 'releaseHold',
    summary: 'Release a legal hold',
    answer: holdSchema,
  }),
];

export function retentionRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/retention', async (c) =>
    c.json(ruleView(await showRetention(dependencies, c.get('principal')))),
  );

  api.patch('/v1/admin/retention', async (c) => {
    const body = await readBody(c, retentionChange);
    return c.json(ruleView(await setRetention(dependencies, c.get('principal'), body)));
  });

  api.get('/v1/admin/retention/due', async (c) =>
    c.json(await retentionDue(dependencies, c.get('principal'))),
  );

  api.post('/v1/admin/retention/sweeps', async (c) =>
    c.json(await startSweep(dependencies, c.get('principal')), 202),
  );

  api.get('/v1/admin/holds', async (c) => {
    const { released } = parseInput(holdFilter, c.req.query());
    const holds = await listHolds(dependencies, c.get('principal'), released === 'true');
    return c.json({ items: holds.map(holdView), nextCursor: null });
  });

  api.post('/v1/admin/holds', async (c) => {
    const body = await readBody(c, newHold);
    return c.json(holdView(await placeHold(dependencies, c.get('principal'), body)), 201);
  });

  api.post('/v1/admin/holds/:id/release', async (c) =>
    c.json(holdView(await releaseHold(dependencies, c.get('principal'), c.req.param('id')))),
  );
}

function ruleView({ changedAt, ...rule }: RetentionRule) {
  return { ...rule, changedAt: isoOf(changedAt) };
}

function holdView({ placedAt, releasedAt, ...hold }: LegalHold) {
  return { ...hold, placedAt: isoOf(placedAt), releasedAt: isoOf(releasedAt) };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

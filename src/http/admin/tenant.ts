import { z } from '@hono/zod-openapi';
import { listChanges, renameTenant, showTenant } from '../../application/admin/tenant';
import { tenantChange } from '../../domain/access/bodies';
import { parseInput, readBody, type Api, type HttpDependencies } from '../context';
import { pageOf } from '../schemas';
import { adminRoute } from './route';
import { changeSchema, changeView, tenantSchema } from './views';

const changesQuery = z.object({
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, 'take it from nextCursor of an earlier page')
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

const routes = [
  adminRoute({
    method: 'get',
    path: '/tenant',
    operationId: 'showTenant',
    summary: 'The tenant itself',
    answer: tenantSchema,
  }),
  adminRoute({
    method: 'patch',
    path: '/tenant',
    operationId: 'renameTenant',
    summary: 'Give it another name',
    body: tenantChange,
    answer: tenantSchema,
  }),
  adminRoute({
    method: 'get',
    path: '/changes',
    operationId: 'listAdminChanges',
    summary: 'Who changed people, groups and keys, and who tried to, newest first',
    query: changesQuery,
    answer: pageOf(changeSchema),
  }),
];

export function tenantRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/tenant', async (c) => c.json(await showTenant(dependencies, c.get('principal'))));

  api.patch('/v1/admin/tenant', async (c) => {
    const { name, version } = await readBody(c, tenantChange);
    return c.json(await renameTenant(dependencies, c.get('principal'), name, version));
  });

  api.get('/v1/admin/changes', async (c) => {
    const { cursor, limit } = parseInput(changesQuery, c.req.query());
    const { items, next } = await listChanges(dependencies, c.get('principal'), {
      limit,
      ...(cursor === undefined ? {} : { before: Number(cursor) }),
    });
    return c.json({ items: items.map(changeView), nextCursor: next === null ? null : String(next) });
  });
}

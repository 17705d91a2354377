import { z } from '@hono/zod-openapi';
import { addGroup, changeGroup, listGroups, removeGroup, showGroup } from '../../application/admin/groups';
import { groupChange, newGroup } from '../../domain/access/bodies';
import { largestVersion } from '../../domain/version';
import { parseInput, readBody, type Api, type HttpDependencies } from '../context';
import { pageOf } from '../schemas';
import { adminRoute } from './route';
import { groupSchema } from './views';

const versionQuery = z.object({ version: z.coerce.number().int().min(1).max(largestVersion) });

const routes = [
  adminRoute({
    method: 'get',
    path: '/groups',
    operationId: 'listGroups',
    summary: 'All groups with their members',
    answer: pageOf(groupSchema),
  }),
  adminRoute({
    method: 'post',
    path: '/groups',
    operationId: 'addGroup',
    summary: 'Add a group, which means what the policy says',
    body: newGroup,
    answer: groupSchema,
    status: 201,
  }),
  adminRoute({
    method: 'get',
    path: '/groups/{name}',
    operationId: 'showGroup',
    summary: 'One group',
    answer: groupSchema,
  }),
  adminRoute({
    method: 'patch',
    path: '/groups/{name}',
    operationId: 'changeGroup',
    summary: 'Take members in or out, from the version that was read; not oneself',
    body: groupChange,
    answer: groupSchema,
  }),
  adminRoute({
    method: 'delete',
    path: '/groups/{name}',
    operationId: 'removeGroup',
    summary: 'Remove a group that has no members and no meaning',
    query: versionQuery,
    answer: undefined,
  }),
];

export function groupRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/groups', async (c) =>
    c.json({ items: await listGroups(dependencies, c.get('principal')), nextCursor: null }),
  );

  api.post('/v1/admin/groups', async (c) => {
    const body = await readBody(c, newGroup);
    return c.json(await addGroup(dependencies, c.get('principal'), body), 201);
  });

  api.get('/v1/admin/groups/:name', async (c) =>
    c.json(await showGroup(dependencies, c.get('principal'), c.req.param('name'))),
  );

  api.patch('/v1/admin/groups/:name', async (c) => {
    const name = c.req.param('name');
    await showGroup(dependencies, c.get('principal'), name);
    const body = await readBody(c, groupChange);
    return c.json(await changeGroup(dependencies, c.get('principal'), name, body));
  });

  api.delete('/v1/admin/groups/:name', async (c) => {
    const name = c.req.param('name');
    await showGroup(dependencies, c.get('principal'), name);
    const { version } = parseInput(versionQuery, c.req.query());
    await removeGroup(dependencies, c.get('principal'), name, version);
    return c.body(null, 204);
  });
}

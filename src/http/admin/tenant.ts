import { renameTenant, showTenant } from '../../application/admin/tenant';
import { tenantChange } from '../../domain/access/bodies';
import { readBody, type Api, type HttpDependencies } from '../context';
import { adminRoute } from './route';
import { tenantSchema } from './views';

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
];

export function tenantRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/tenant', async (c) => c.json(await showTenant(dependencies, c.get('principal'))));

  api.patch('/v1/admin/tenant', async (c) => {
    const { name, version } = await readBody(c, tenantChange);
    return c.json(await renameTenant(dependencies, c.get('principal'), name, version));
  });
}

import type { Api, ApiContext, HttpDependencies } from '../context';
import { channelRoutes } from './channelKeys';
import { groupRoutes } from './groups';
import { keyRoutes } from './keys';
import { peopleRoutes } from './people';
import { retentionRoutes } from './retention';
import { admit } from './route';
import { tenantRoutes } from './tenant';

/** `/v1/admin`: who belongs to the tenant, and which keys open what. */
export function adminRoutes(api: Api, dependencies: HttpDependencies): void {
  api.use('/v1/admin/*', async (c, next) => {
    await admit(c as ApiContext, dependencies);
    await next();
  });
  tenantRoutes(api, dependencies);
  peopleRoutes(api, dependencies);
  groupRoutes(api, dependencies);
  keyRoutes(api, dependencies);
  channelRoutes(api, dependencies);
  retentionRoutes(api, dependencies);
}

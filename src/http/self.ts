import { createRoute, z } from '@hono/zod-openapi';
import { rotateOwnKey } from '../application/admin/apiKeys';
import { rotation } from '../domain/access/bodies';
import { mintedKeySchema, mintedView } from './admin/views';
import { readBody, type Api, type ApiContext, type HttpDependencies } from './context';
import { answers, problems } from './schemas';

const bearer = [{ bearer: [] }];

const selfSchema = z
  .object({
    tenant: z.string(),
    id: z.string(),
    kind: z.enum(['person', 'service', 'agent']),
    groups: z.array(z.string()),
    limit: z.string().nullable(),
    key: z.object({ id: z.string(), scopes: z.array(z.string()), expiresAt: z.iso.datetime().nullable() }),
  })
  .openapi('Self');

const routes = [
  createRoute({
    method: 'get',
    path: '/v1/self',
    operationId: 'showSelf',
    summary: 'Whom this token stands for, and what it opens',
    security: bearer,
    responses: { ...answers(200, 'Whoever calls', selfSchema) },
  }),
  createRoute({
    method: 'post',
    path: '/v1/self/rotate',
    operationId: 'rotateOwnKey',
    summary: 'Another token in place of this one, which nobody else has seen',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: rotation } } } },
    responses: {
      ...answers(201, 'The new key with its token, which is told once', mintedKeySchema),
      ...problems(409, 422),
    },
  }),
];

/** `/v1/self`: what any key may know and do about itself. */
export function selfRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/self', (c) => c.json(view(c)));

  api.post('/v1/self/rotate', async (c) => {
    const { overlapHours } = await readBody(c, rotation);
    return c.json(mintedView(await rotateOwnKey(dependencies, c.get('principal'), overlapHours)), 201);
  });
}

function view(c: ApiContext): z.infer<typeof selfSchema> {
  const { tenant, id, kind, groups, limitMajor, key } = c.get('principal');
  const expiresAt = key.expiresAt === null ? null : new Date(key.expiresAt).toISOString();
  return {
    tenant,
    id,
    kind,
    groups: [...groups],
    limit: limitMajor,
    key: { id: key.id, scopes: [...key.scopes], expiresAt },
  };
}

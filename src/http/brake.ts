import { createRoute, z } from '@hono/zod-openapi';
import { moveBrake, showBrake } from '../application/brake';
import { readBody, type Api, type HttpDependencies } from './context';
import { answers, problems } from './schemas';

const bearer = [{ bearer: [] }];
const brakeFields = { scope: z.string(), reason: z.string(), actor: z.string(), at: z.iso.datetime() };

const brakeSchema = z
  .object({
    engaged: z.object(brakeFields).nullable(),
    history: z.array(z.object({ ...brakeFields, engaged: z.boolean() })),
  })
  .openapi('Brake');

export const brakeBody = z.strictObject({ engaged: z.boolean(), reason: z.string().trim().min(1).max(500) });

const routes = [
  createRoute({
    method: 'get',
    path: '/v1/brake',
    operationId: 'showBrake',
    summary: 'Whether calls to the provider are held back, by whom and why',
    security: bearer,
    responses: { ...answers(200, 'The switch and its history', brakeSchema) },
  }),
  createRoute({
    method: 'post',
    path: '/v1/brake',
    operationId: 'moveBrake',
    summary: 'Pull or release the kill switch of this tenant; administrators only',
    security: bearer,
    request: { body: { required: true, content: { 'application/json': { schema: brakeBody } } } },
    responses: {
      ...answers(200, 'The switch and its history', brakeSchema),
      ...problems(422),
    },
  }),
];

/** `/v1/brake`: the kill switch of one tenant. */
export function brakeRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/brake', async (c) => c.json(view(await showBrake(dependencies, c.get('principal')))));

  api.post('/v1/brake', async (c) => {
    const { engaged, reason } = await readBody(c, brakeBody);
    await moveBrake(dependencies, c.get('principal'), engaged, reason);
    return c.json(view(await showBrake(dependencies, c.get('principal'))));
  });
}

function view({ engaged, history }: Awaited<ReturnType<typeof showBrake>>) {
  const timed = <B extends { at: number }>(brake: B) => ({ ...brake, at: new Date(brake.at).toISOString() });
  return { engaged: engaged && timed(engaged), history: history.map(timed) };
}

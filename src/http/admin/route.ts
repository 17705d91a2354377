import { createRoute, z } from '@hono/zod-openapi';
import { admitAdministrator } from '../../application/admin/administer';
import { type ApiContext, type HttpDependencies } from '../context';
import { answers, problems } from '../schemas';

interface AdminCall {
  readonly method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/v1/admin`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly answer: z.ZodType | undefined;
  readonly status?: number;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
}

/** For the OpenAPI document; what is refused is the same everywhere here. */
export function adminRoute(call: AdminCall) {
  const { method, path, operationId, summary, body, query, answer, status = 200 } = call;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()] as const);
  return createRoute({
    method,
    path: `/v1/admin${path}`,
    operationId,
    summary: `${summary}; administrators only`,
    security: [{ bearer: [] }],
    request: {
      ...(parameters.length === 0 ? {} : { params: z.object(Object.fromEntries(parameters)) }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined
        ? {}
        : { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      ...(answer === undefined ? { 204: { description: 'Done' } } : answers(status, 'As it is now', answer)),
      ...problems(
        ...(parameters.length === 0 ? [] : ([404] as const)),
        ...(method === 'get' ? [] : ([409] as const)),
        ...(body === undefined && query === undefined ? [] : ([422] as const)),
      ),
    },
  });
}

/** Whoever is no administrator learns nothing of what is there, so this comes before everything but 401. */
export async function admit(c: ApiContext, dependencies: HttpDependencies): Promise<void> {
  const attempt = c.req.method === 'GET' ? undefined : `${c.req.method} ${c.req.path.slice(0, 200)}`;
  await admitAdministrator(dependencies, c.get('principal'), attempt);
}

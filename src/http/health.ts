import { createRoute, z } from '@hono/zod-openapi';
import type { Api, HttpDependencies } from './context';
import { answers } from './schemas';

const ready = z
  .object({ status: z.enum(['ok', 'unavailable']), checks: z.record(z.string(), z.string()) })
  .openapi('Readiness');
const alive = z.object({ status: z.literal('ok'), version: z.string() }).openapi('Health');

const routes = [
  createRoute({
    method: 'get',
    path: '/healthz',
    operationId: 'health',
    summary: 'This process answers',
    responses: answers(200, 'Alive', alive),
  }),
  createRoute({
    method: 'get',
    path: '/readyz',
    operationId: 'readiness',
    summary: 'What this process needs answers too',
    responses: { ...answers(200, 'Ready', ready), ...answers(503, 'Not ready, and why', ready) },
  }),
];

export function healthRoutes(api: Api, { readiness, version }: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/healthz', (c) => c.json({ status: 'ok', version }));

  api.get('/readyz', async (c) => {
    const checks = await Promise.all(
      Object.entries(readiness).map(
        async ([name, check]) => [name, await check().then(() => 'ok', reason)] as const,
      ),
    );
    const ok = checks.every(([, outcome]) => outcome === 'ok');
    return c.json({ status: ok ? 'ok' : 'unavailable', checks: Object.fromEntries(checks) }, ok ? 200 : 503);
  });
}

/** The kind of failure only: addresses and credentials stay out of an open endpoint. */
function reason(error: unknown): string {
  const code =
    typeof error === 'object' && error !== null && 'code' in error ? ` (${String(error.code)})` : '';
  return `does not answer${code}`;
}

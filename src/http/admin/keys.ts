import { z } from '@hono/zod-openapi';
import {
  confirmKey,
  createKey,
  listKeys,
  revokeKey,
  rotateKey,
  showKey,
} from '../../application/admin/apiKeys';
import { newKey, personId, revocation, rotation } from '../../domain/access/bodies';
import { parseInput, readBody, type Api, type HttpDependencies } from '../context';
import { pageOf } from '../schemas';
import { adminRoute } from './route';
import { keySchema, keyView, mintedKeySchema, mintedView } from './views';

const listQuery = z.object({
  person: personId.optional(),
  state: z.enum(['active', 'unconfirmed', 'expired', 'revoked']).optional(),
});

const routes = [
  adminRoute({
    method: 'get',
    path: '/keys',
    operationId: 'listKeys',
    summary: 'API keys, by person; never their tokens',
    query: listQuery,
    answer: pageOf(keySchema),
  }),
  adminRoute({
    method: 'post',
    path: '/keys',
    operationId: 'createKey',
    summary: 'Make a key; its token is told once',
    body: newKey,
    answer: mintedKeySchema,
    status: 201,
  }),
  adminRoute({
    method: 'get',
    path: '/keys/{id}',
    operationId: 'showKey',
    summary: 'One key',
    answer: keySchema,
  }),
  adminRoute({
    method: 'post',
    path: '/keys/{id}/confirm',
    operationId: 'confirmKey',
    summary: "Confirm another administrator's key for somebody who decides or administers",
    answer: keySchema,
  }),
  adminRoute({
    method: 'post',
    path: '/keys/{id}/rotate',
    operationId: 'rotateKey',
    summary: 'Another token in its place; the old one goes on for a while',
    body: rotation,
    answer: mintedKeySchema,
    status: 201,
  }),
  adminRoute({
    method: 'post',
    path: '/keys/{id}/revoke',
    operationId: 'revokeKey',
    summary: 'End a key at once and for good',
    body: revocation,
    answer: keySchema,
  }),
];

export function keyRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/keys', async (c) => {
    const { person, state } = parseInput(listQuery, c.req.query());
    const items = await listKeys(dependencies, c.get('principal'), {
      ...(person === undefined ? {} : { person }),
      ...(state === undefined ? {} : { state }),
    });
    return c.json({ items: items.map(keyView), nextCursor: null });
  });

  api.post('/v1/admin/keys', async (c) => {
    const body = await readBody(c, newKey);
    return c.json(mintedView(await createKey(dependencies, c.get('principal'), body)), 201);
  });

  api.get('/v1/admin/keys/:id', async (c) =>
    c.json(keyView(await showKey(dependencies, c.get('principal'), c.req.param('id')))),
  );

  api.post('/v1/admin/keys/:id/confirm', async (c) =>
    c.json(keyView(await confirmKey(dependencies, c.get('principal'), c.req.param('id')))),
  );

  api.post('/v1/admin/keys/:id/rotate', async (c) => {
    const id = c.req.param('id');
    await showKey(dependencies, c.get('principal'), id);
    const { overlapHours } = await readBody(c, rotation);
    return c.json(mintedView(await rotateKey(dependencies, c.get('principal'), id, overlapHours)), 201);
  });

  api.post('/v1/admin/keys/:id/revoke', async (c) => {
    const id = c.req.param('id');
    await showKey(dependencies, c.get('principal'), id);
    const { reason } = await readBody(c, revocation);
    return c.json(keyView(await revokeKey(dependencies, c.get('principal'), id, reason)));
  });
}

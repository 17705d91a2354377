import {
  confirmChannelKey,
  listChannelKeys,
  registerChannelKey,
  revokeChannelKey,
  rotateChannelKey,
  showChannelKey,
} from '../../application/admin/channelKeys';
import { channelRotation, newChannelKey, revocation } from '../../domain/access/bodies';
import { readBody, type Api, type HttpDependencies } from '../context';
import { pageOf } from '../schemas';
import { adminRoute } from './route';
import { channelKeySchema, channelKeyView } from './views';

const routes = [
  adminRoute({
    method: 'get',
    path: '/channel-keys',
    operationId: 'listChannelKeys',
    summary: 'Public keys of the channels that sign decisions',
    answer: pageOf(channelKeySchema),
  }),
  adminRoute({
    method: 'post',
    path: '/channel-keys',
    operationId: 'registerChannelKey',
    summary: "Register a channel's public key, to be confirmed by another administrator",
    body: newChannelKey,
    answer: channelKeySchema,
    status: 201,
  }),
  adminRoute({
    method: 'get',
    path: '/channel-keys/{kid}',
    operationId: 'showChannelKey',
    summary: 'One of them',
    answer: channelKeySchema,
  }),
  adminRoute({
    method: 'post',
    path: '/channel-keys/{kid}/confirm',
    operationId: 'confirmChannelKey',
    summary: 'Confirm what another administrator registered',
    answer: channelKeySchema,
  }),
  adminRoute({
    method: 'post',
    path: '/channel-keys/{kid}/rotate',
    operationId: 'rotateChannelKey',
    summary: 'Another key for the channel, to be confirmed; the old one goes on for a while',
    body: channelRotation,
    answer: channelKeySchema,
    status: 201,
  }),
  adminRoute({
    method: 'post',
    path: '/channel-keys/{kid}/revoke',
    operationId: 'revokeChannelKey',
    summary: 'End it at once; votes that it signed and that are not paid yet count no more',
    body: revocation,
    answer: channelKeySchema,
  }),
];

export function channelRoutes(api: Api, dependencies: HttpDependencies): void {
  for (const route of routes) api.openAPIRegistry.registerPath(route);

  api.get('/v1/admin/channel-keys', async (c) => {
    const items = await listChannelKeys(dependencies, c.get('principal'));
    return c.json({ items: items.map(channelKeyView), nextCursor: null });
  });

  api.post('/v1/admin/channel-keys', async (c) => {
    const body = await readBody(c, newChannelKey);
    return c.json(channelKeyView(await registerChannelKey(dependencies, c.get('principal'), body)), 201);
  });

  api.get('/v1/admin/channel-keys/:kid', async (c) =>
    c.json(channelKeyView(await showChannelKey(dependencies, c.get('principal'), c.req.param('kid')))),
  );

  api.post('/v1/admin/channel-keys/:kid/confirm', async (c) =>
    c.json(channelKeyView(await confirmChannelKey(dependencies, c.get('principal'), c.req.param('kid')))),
  );

  api.post('/v1/admin/channel-keys/:kid/rotate', async (c) => {
    const kid = c.req.param('kid');
    await showChannelKey(dependencies, c.get('principal'), kid);
    const body = await readBody(c, channelRotation);
    return c.json(channelKeyView(await rotateChannelKey(dependencies, c.get('principal'), kid, body)), 201);
  });

  api.post('/v1/admin/channel-keys/:kid/revoke', async (c) => {
    const kid = c.req.param('kid');
    await showChannelKey(dependencies, c.get('principal'), kid);
    const { reason } = await readBody(c, revocation);
    return c.json(channelKeyView(await revokeChannelKey(dependencies, c.get('principal'), kid, reason)));
  });
}

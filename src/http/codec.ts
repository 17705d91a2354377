import { z } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { admitAdministrator } from '../application/admin/administer';
import { revealPayloads } from '../application/revealPayloads';
import { codecSignInRoutes } from './codecSignIn';
import { tooLarge, readBody, type Api, type HttpDependencies } from './context';
import { requireScope } from './scopes';

/** Bytes: a page of a history holds many payloads. */
const maxBodyBytes = 4 * 1024 * 1024;

const base64 = z.base64();
const body = z.strictObject({
  payloads: z
    .array(z.object({ metadata: z.record(z.string(), base64).default({}), data: base64.optional() }))
    .max(5_000),
});

/**
 * Temporal's remote codec protocol, for its Web UI and CLI: `POST /codec/decode`, for an administrator whose key has
 * the scope `admin`, by bearer token or signed in at `/codec/sign-in`. Nothing is encoded here. Served where encryption keys are set; no part of the API's document.
 */
export function codecRoutes(api: Api, dependencies: HttpDependencies): void {
  const { payloads: codec } = dependencies;
  if (!codec) return;
  const { sealed } = codec;
  api.post('/codec/decode', async (c) => {
    requireScope(c, ['admin']);
    await admitAdministrator(dependencies, c.get('principal'), 'decode payloads');
    const { payloads } = await readBody(c, body);
    return c.json({
      payloads: await revealPayloads({ ...dependencies, sealed }, c.get('principal'), payloads),
    });
  });
}

/** Before anybody is authenticated: a browser asks first whether it may ask, and one origin may; and the sign-in itself. */
export function admitTemporalUi(api: Api, dependencies: HttpDependencies): void {
  const { payloads: codec } = dependencies;
  if (!codec) return;
  const { uiOrigin } = codec;
  if (uiOrigin !== undefined)
    api.use(
      '/codec/*',
      cors({
        origin: uiOrigin,
        credentials: true,
        allowMethods: ['POST'],
        allowHeaders: ['authorization', 'content-type', 'x-namespace'],
        maxAge: 600,
      }),
    );
  api.use('/codec/*', bodyLimit({ maxSize: maxBodyBytes, onError: tooLarge(maxBodyBytes) }));
  codecSignInRoutes(api, dependencies);
}

import { z } from '@hono/zod-openapi';
import { versionRead } from '../domain/version';
import { hasBody, readBody, type ApiContext } from './context';

const body = z.strictObject({
  /** The version that the sender has seen; another one is a conflict. */
  expectedVersion: versionRead.optional(),
});

/** What an order to something that goes on may say: pause, resume, cancel. */
export const orderBody = { required: false, content: { 'application/json': { schema: body } } };

/** A call without a body orders it whatever the version is. @throws as `readBody` */
export async function orderOf(c: ApiContext): Promise<z.infer<typeof body>> {
  return hasBody(c) ? readBody(c, body) : {};
}

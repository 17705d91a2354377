import { createRoute, z } from '@hono/zod-openapi';
import { takeProviderEvent } from '../application/providerNews';
import type { Api, HttpDependencies } from './context';
import { answers, problems } from './schemas';

const receivedSchema = z.object({ received: z.literal(true) }).openapi('ReceivedEvent');

const route = createRoute({
  method: 'post',
  path: '/v1/webhooks/stripe',
  operationId: 'takeStripeEvent',
  summary: 'An event of the provider, signed by it; needs no token',
  request: {
    headers: z.object({ 'Stripe-Signature': z.string() }),
    body: { required: true, content: { 'application/json': { schema: z.unknown() } } },
  },
  responses: {
    ...answers(200, 'Taken, now or before', receivedSchema),
    ...problems(400, 422),
  },
});

/** The provider's door. Its signature is the credential, so this stands before what asks for a token. */
export function webhookRoutes(api: Api, dependencies: HttpDependencies): void {
  api.openAPIRegistry.registerPath(route);

  api.post('/v1/webhooks/stripe', async (c) => {
    const body = new Uint8Array(await c.req.arrayBuffer());
    await takeProviderEvent(dependencies, body, c.req.header('stripe-signature') ?? '');
    return c.json({ received: true as const });
  });
}

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { answerOf } from './callPipeline';
import type { Answer, CallPipeline } from './callPipeline';
import { chargeOperations } from './chargeOperations';
import type { ProviderDatabase } from './database';
import { disputeOperations } from './disputes';
import { eventOperations } from './eventOperations';
import { parseForm } from './formEncoding';
import { accountOfKey, newId } from './identifiers';
import type { BoundOperation, Operation } from './operation';
import { parseParameters } from './parameters';
import { paymentIntentOperations } from './paymentIntentOperations';
import { refundOperations } from './refundChanges';
import { createRefund } from './refundCreation';
import { logRequest } from './requestRecord';
import { StripeError, invalidRequest, unknownKey, unknownUrl } from './stripeError';
import { webhookEndpointOperations } from './webhookEndpoints';

export type ProviderEnv = { Bindings: HttpBindings };

const largestBody = 256 * 1024;

/** Binds an operation to its parameters' type here, so that routing needs to know none of them. */
function bound<P>(operation: Operation<P>): BoundOperation {
  return {
    method: operation.method,
    path: operation.path,
    bind(form) {
      const parameters = parseParameters(operation.parameters, form);
      return (work) => operation.run(work, parameters);
    },
  };
}

const operations: readonly BoundOperation[] = [
  bound(createRefund),
  bound(refundOperations.retrieveRefund),
  bound(refundOperations.listRefunds),
  bound(refundOperations.updateRefund),
  bound(refundOperations.cancelRefund),
  bound(chargeOperations.createCharge),
  bound(chargeOperations.retrieveCharge),
  bound(chargeOperations.listCharges),
  bound(chargeOperations.captureCharge),
  bound(chargeOperations.updateCharge),
  bound(paymentIntentOperations.createIntent),
  bound(paymentIntentOperations.retrieveIntent),
  bound(paymentIntentOperations.listIntents),
  bound(paymentIntentOperations.captureIntent),
  bound(paymentIntentOperations.cancelIntent),
  bound(disputeOperations.retrieveDispute),
  bound(disputeOperations.listDisputes),
  bound(disputeOperations.acceptDispute),
  bound(eventOperations.retrieveEvent),
  bound(eventOperations.listEvents),
  bound(webhookEndpointOperations.createEndpoint),
  bound(webhookEndpointOperations.retrieveEndpoint),
  bound(webhookEndpointOperations.listEndpoints),
  bound(webhookEndpointOperations.updateEndpoint),
  bound(webhookEndpointOperations.deleteEndpoint),
];

export interface StripeApiParts {
  readonly pipeline: CallPipeline;
  readonly db: ProviderDatabase;
  readonly apiKeys: readonly string[];
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** The part that a caller of Stripe knows: everything under `/v1`. */
export function stripeApi(parts: StripeApiParts): Hono<ProviderEnv> {
  const api = new Hono<ProviderEnv>();
  const accounts = new Map(parts.apiKeys.map((key) => [key, accountOfKey(key)]));

  api.use(
    '/v1/*',
    bodyLimit({
      maxSize: largestBody,
      onError: () => {
        throw new StripeError(413, {
          type: 'invalid_request_error',
          message: 'The request body is too large.',
        });
      },
    }),
  );
  for (const operation of operations) api.on(operation.method, operation.path, (c) => handle(c, operation));
  api.all('/v1/*', (c) => handle(c, undefined));

  async function handle(c: Context<ProviderEnv>, operation: BoundOperation | undefined): Promise<Response> {
    const request = {
      requestId: newId('req'),
      method: c.req.method,
      path: c.req.path,
      idempotencyKey: c.req.header('idempotency-key') ?? null,
      atMs: parts.now(),
    };
    const key = presentedKey(c.req.header('authorization'));
    const account = accounts.get(key ?? '') ?? null;
    let answer: Answer;
    try {
      if (account === null) throw unknownKey(key);
      if (operation === undefined) throw unknownUrl(request.method, request.path);
      if (request.idempotencyKey !== null && request.idempotencyKey.length > 255) {
        throw invalidRequest('An idempotency key is at most 255 characters long.');
      }
      const encoded = request.method === 'GET' ? new URL(c.req.url).search : await c.req.text();
      const call = { ...request, account, form: parseForm(encoded) };
      answer = await parts.pipeline.answer(call, operation, c.req.param('id') ?? '');
    } catch (error) {
      if (!(error instanceof StripeError)) throw error;
      const line = {
        call: { ...request, account },
        payment: null,
        parameters: {},
        status: error.status,
        answered: true,
        replayed: false,
        faults: [],
      };
      await logRequest(parts.db, line).catch(parts.onError);
      answer = answerOf(request, error);
    }
    if (answer.cut) c.env.incoming.socket.destroy();
    return new Response(answer.body, {
      status: answer.status === 0 ? 500 : answer.status,
      headers: {
        'Content-Type': 'application/json',
        'Request-Id': request.requestId,
        'Stripe-Version': c.req.header('stripe-version') ?? 'simulation',
        ...(request.idempotencyKey === null ? {} : { 'Idempotency-Key': request.idempotencyKey }),
        ...answer.headers,
      },
    });
  }
  return api;
}

/** As a bearer token, or as the user name of basic authentication (`curl -u sk_…:`). */
function presentedKey(authorization: string | undefined): string | undefined {
  const [scheme, value = ''] = (authorization ?? '').split(/\s+/, 2);
  if (scheme?.toLowerCase() === 'bearer') return value;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  return Buffer.from(value, 'base64').toString().split(':', 1)[0];
}

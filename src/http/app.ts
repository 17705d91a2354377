import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { except } from 'hono/combine';
import { HTTPException } from 'hono/http-exception';
import { CountersignError } from '../domain/errors';
import { isDatabaseOutage } from '../domain/outage';
import { adminRoutes } from './admin';
import { agentRunRoutes } from './agentRuns';
import { approvalRoutes } from './approvals';
import { auditRoutes } from './audit';
import {
  bearerToken,
  maxBodyBytes,
  maxDocumentBytes,
  tooLarge,
  type Api,
  type ApiContext,
  type HttpDependencies,
  type HttpEnv,
} from './context';
import { maxBatchBytes } from './batchFile';
import { batchRoutes } from './batches';
import { brakeRoutes } from './brake';
import { admitTemporalUi, codecRoutes } from './codec';
import { codecToken } from './codecSignIn';
import { openApiDocument, registerComponents } from './document';
import { erasureRoutes } from './erasures';
import { eventRoutes } from './events';
import { healthRoutes } from './health';
import { inboxCheckRoutes } from './inboxCheck';
import { inboxEventRoutes } from './inboxEvents';
import { knowledgeRoutes } from './knowledge';
import { memoryRoutes } from './memories';
import { manyDecisionRoutes } from './manyDecisions';
import { memoryHistoryRoutes } from './memoryHistory';
import { memoryReviewRoutes } from './memoryReviews';
import { methodsAt } from './methods';
import { policyRoutes } from './policies';
import { paymentRoutes } from './payments';
import { problemResponse } from './problem';
import { RateLimit } from './rateLimit';
import { recallRoutes } from './recall';
import { reconciliationRoutes } from './reconciliations';
import { refundRoutes } from './refunds';
import { refundPastRoutes } from './refundPast';
import { splitRoutes } from './refundSplits';
import { checkScope } from './scopes';
import { selfRoutes } from './self';
import { threadContextRoutes } from './threadContext';
import { threadRoutes } from './threads';
import { webhookRoutes } from './webhooks';

/** The HTTP door. The tenant comes from the credential, never from the request (R38). */
export function createApi(dependencies: HttpDependencies): Api {
  const api: Api = new OpenAPIHono<HttpEnv>();
  registerComponents(api);

  api.use(async (c, next) => {
    const requestId = randomUUID();
    c.set('requestId', requestId);
    await next();
    c.res.headers.set('x-request-id', requestId);
    c.res.headers.set('cache-control', 'no-store');
    c.res.headers.set('x-content-type-options', 'nosniff');
  });
  const { callsPerMinute = 0 } = dependencies;
  const rateLimit = callsPerMinute > 0 ? new RateLimit(callsPerMinute) : undefined;
  const usual = limitBody(maxBodyBytes);
  const limits: Readonly<Record<string, typeof usual>> = {
    '/v1/knowledge': limitBody(maxDocumentBytes),
    '/v1/batches': limitBody(maxBatchBytes),
  };
  const limitOf = (path: string) => limits[path] ?? usual;
  api.use(except('/codec/*', (c, next) => limitOf(c.req.path)(c, next)));
  admitTemporalUi(api, dependencies);
  webhookRoutes(api, dependencies);
  api.on('ALL', ['/v1/*', '/codec/*'], async (c, next) => {
    const ofCodec = c.req.path.startsWith('/codec/');
    const token = ofCodec ? codecToken(c as ApiContext) : bearerToken(c as ApiContext);
    const principal = token === undefined ? undefined : await dependencies.authenticator.authenticate(token);
    if (!principal) throw new CountersignError('unauthenticated');
    rateLimit?.count(principal);
    c.set('principal', principal);
    c.set(
      'stillHeld',
      async () => (await dependencies.authenticator.authenticate(token ?? '')) !== undefined,
    );
    // No id has a NUL, and PostgreSQL refuses to compare with one.
    if (c.req.path.includes('\u0000')) throw new CountersignError('not_found');
    if (!ofCodec) checkScope(c as ApiContext);
    await next();
  });

  healthRoutes(api, dependencies);
  refundRoutes(api, dependencies);
  splitRoutes(api, dependencies);
  // Before approvals: `events` is no id.
  inboxEventRoutes(api, dependencies);
  batchRoutes(api, dependencies);
  refundPastRoutes(api, dependencies);
  approvalRoutes(api, dependencies);
  manyDecisionRoutes(api, dependencies);
  inboxCheckRoutes(api, dependencies);
  eventRoutes(api, dependencies);
  // Before memories: `search` is no id.
  recallRoutes(api, dependencies);
  memoryHistoryRoutes(api, dependencies);
  memoryReviewRoutes(api, dependencies);
  memoryRoutes(api, dependencies);
  knowledgeRoutes(api, dependencies);
  threadRoutes(api, dependencies);
  threadContextRoutes(api, dependencies);
  agentRunRoutes(api, dependencies);
  brakeRoutes(api, dependencies);
  auditRoutes(api, dependencies);
  policyRoutes(api, dependencies);
  reconciliationRoutes(api, dependencies);
  paymentRoutes(api, dependencies);
  selfRoutes(api, dependencies);
  adminRoutes(api, dependencies);
  erasureRoutes(api, dependencies);
  codecRoutes(api, dependencies);

  api.get('/openapi.json', (c) => c.json(openApiDocument(api, dependencies.version)));

  api.notFound((c) => {
    const allowed = methodsAt(api.routes, c.req.path);
    if (allowed.length === 0)
      return problemResponse(c, new CountersignError('not_found', 'There is nothing at this address.'));
    c.header('allow', allowed.join(', '));
    return problemResponse(c, new CountersignError('method_not_allowed'));
  });
  api.onError((error, c) => {
    if (error instanceof CountersignError) return problemResponse(c, error);
    if (error instanceof HTTPException && error.status < 500) {
      return problemResponse(c, new CountersignError('invalid_request', error.message));
    }
    dependencies.onUnexpected(error, c.get('requestId'));
    return problemResponse(
      c,
      isDatabaseOutage(error)
        ? new CountersignError('dependency_unavailable')
        : new CountersignError('internal'),
    );
  });
  return api;
}

function limitBody(maxBytes: number) {
  return bodyLimit({ maxSize: maxBytes, onError: tooLarge(maxBytes) });
}

import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { CountersignError } from '../domain/errors';
import { maxBodyBytes } from '../http/context';
import { agentRoutes } from './agents/routes';
import { assetRoutes } from './assets';
import { auditRoutes } from './audit/routes';
import { batchPageRoutes } from './batches/routes';
import type { Web, WebDependencies, WebEnv } from './context';
import { docsRoutes } from './docsPage';
import { approvalRoutes } from './inbox/approvalRoutes';
import { listRoutes } from './inbox/listRoutes';
import { manyRoutes } from './inbox/manyRoutes';
import { memoryRoutes } from './memory/routes';
import { peopleRoutes } from './people/routes';
import { policyRoutes } from './policies/routes';
import { preferenceRoutes } from './preferences';
import { reconciliationRoutes } from './reconciliation/routes';
import { reviewRoutes } from './reviews/routes';
import { runListRoutes } from './runs/listRoutes';
import { runRoutes } from './runs/runRoutes';
import { notFoundPage, problemPage } from './problems';
import { isHttps, securityHeaders } from './security';
import { sessionRoutes } from './session';

/** The pages: the same use cases as the HTTP door, as HTML that works without a script. */
export function createWeb(dependencies: WebDependencies): Web {
  const web: Web = new Hono<WebEnv>();

  web.use(async (c, next) => {
    c.set('requestId', randomUUID());
    // Pages may be kept for the way back, so that typed text is still there; they are asked for anew otherwise.
    c.header('cache-control', 'private, no-cache');
    await next();
    securityHeaders(c.res.headers, isHttps(dependencies));
  });
  web.use(
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new CountersignError(
          'body_too_large',
          'Go back and shorten what you typed; it is still there.',
        );
      },
    }),
  );
  assetRoutes(web);
  web.get('/', (c) => c.redirect('/inbox', 302));
  sessionRoutes(web, dependencies);
  preferenceRoutes(web, dependencies);
  listRoutes(web, dependencies);
  // Before a single approval: `decisions` is no id.
  manyRoutes(web, dependencies);
  approvalRoutes(web, dependencies);
  memoryRoutes(web, dependencies);
  runListRoutes(web, dependencies);
  runRoutes(web, dependencies);
  agentRoutes(web, dependencies);
  batchPageRoutes(web, dependencies);
  reviewRoutes(web, dependencies);
  reconciliationRoutes(web, dependencies);
  policyRoutes(web, dependencies);
  auditRoutes(web, dependencies);
  peopleRoutes(web, dependencies);
  docsRoutes(web, dependencies);

  web.notFound((c) => notFoundPage(c, c.get('signedIn')));
  web.onError((error, c) => problemPage(c, error, dependencies));
  return web;
}

const pages = new RegExp(
  `^/(?:$|(?:${[
    ...[
      'inbox',
      'runs',
      'agents',
      'batches',
      'reviews',
      'reconciliation',
      'policies',
      'audit',
      'memory',
      'people',
    ],
    ...['sign-in', 'sign-out', 'preferences', 'docs', 'assets'],
  ].join('|')})(?:/|$))`,
);

/** Whether an address is a page; everything else is the API's. */
export function isPage(path: string): boolean {
  return pages.test(path);
}

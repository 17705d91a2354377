import type { Database } from '../adapters/postgres/database';
import { PostgresSignInFailures, PostgresWebSessions } from '../adapters/postgres/webSessions';
import { refundWorkflowId } from '../domain/contract';
import { openApiDocument } from '../http/document';
import type { Api, HttpDependencies } from '../http/context';
import { createWeb, isPage } from '../web/app';
import type { SignInMethod } from '../ports/webSessions';

export interface PagesGround {
  readonly database: Database;
  readonly publicUrl?: string | undefined;
  /** Of the Temporal Web UI, and the namespace of the runs there. */
  readonly temporalUi?: { readonly url: string; readonly namespace: string } | undefined;
}

export interface Doors {
  /** Answers pages and the API under one address. */
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
}

/** The pages beside an API, over the same ports. */
export function pagesBeside(
  api: Api,
  parts: Omit<HttpDependencies, 'readiness'>,
  { database, publicUrl, temporalUi }: PagesGround,
): Doors {
  const token: SignInMethod = {
    name: 'token',
    prove: (presented) => parts.authenticator.authenticate(presented),
  };
  const web = createWeb({
    ...parts,
    sessions: new PostgresWebSessions(database),
    signInFailures: new PostgresSignInFailures(database),
    signInMethod: token,
    publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl),
    temporalRunUrl: temporalUi && ((tenant, runId) => runUrl(temporalUi, refundWorkflowId(tenant, runId))),
    apiDocument: () => openApiDocument(api, parts.version),
  });
  return {
    fetch: (request, bindings) =>
      (isPage(new URL(request.url).pathname) ? web : api).fetch(request, bindings),
  };
}

function runUrl({ url, namespace }: { url: string; namespace: string }, workflowId: string): string {
  const path = `namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
  return new URL(path, url.endsWith('/') ? url : `${url}/`).href;
}

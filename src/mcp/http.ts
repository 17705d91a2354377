import { createMcpHandler } from '@modelcontextprotocol/server';
import { Countersign } from '../client';
import { createMcpServer } from './server';

export interface McpDoor {
  /** The API, as it answers from within this process. */
  readonly api: typeof fetch;
  readonly version: string;
  readonly onUnexpected: (error: Error) => void;
}

/**
 * Streamable HTTP without sessions: every request brings its key and is answered by a server of its own, so any API
 * process can take it.
 * @returns undefined where no bearer token was sent, or none that the API knows
 */
export function mcpOverHttp({
  api,
  version,
  onUnexpected,
}: McpDoor): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(
    ({ authInfo }) =>
      createMcpServer(
        new Countersign({ baseUrl, token: authInfo?.token ?? '', fetch: api, retry: { retries: 0 } }),
        version,
      ),
    { onerror: onUnexpected, maxRequestBodySize: maxBytes },
  );
  return async (request) => {
    const origin = request.headers.get('origin');
    if (origin !== null && new URL(request.url).origin !== origin) return new Response(null, { status: 403 });
    const token = /^Bearer ([!-~]{1,512})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    // Asked of the API itself: it answers 401 as at every other address.
    const known = await api(`${baseUrl}/v1/self`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    if (!known.ok || token === undefined) return known;
    return handler.fetch(request, { authInfo: { token, clientId: 'countersign', scopes: [] } });
  };
}

/** Never resolved: these requests stay in the process. */
const baseUrl = 'http://api.countersign.internal';
const maxBytes = 64 * 1024;

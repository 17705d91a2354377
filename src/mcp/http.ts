import { createMcpHandler } from '@modelcontextprotocol/server';
import { Countersign, type Identity } from '../client';
import { createMcpServer } from './server';

export interface McpDoor {
  /** The API, as it answers from within this process. */
  readonly api: typeof fetch;
  readonly version: string;
  readonly onUnexpected: (error: Error) => void;
}

/**
 * Streamable HTTP without sessions: every request brings its key and is answered by a server of its own, so any API
 * process can take it. Who holds the key is asked of the API, which answers 401 as at every other address.
 */
export function mcpOverHttp({
  api,
  version,
  onUnexpected,
}: McpDoor): (request: Request) => Promise<Response> {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { countersign, holder } = authInfo?.extra as unknown as Caller;
      return createMcpServer(countersign, holder, version);
    },
    { onerror: onUnexpected, maxRequestBodySize: maxBytes },
  );
  return async (request) => {
    const origin = request.headers.get('origin');
    if (origin !== null && new URL(request.url).origin !== origin) return new Response(null, { status: 403 });
    const authorization = request.headers.get('authorization') ?? '';
    const known = await api(`${baseUrl}/v1/self`, { headers: { authorization } });
    if (!known.ok) return known;
    const token = authorization.slice('Bearer '.length);
    const caller: Caller = {
      countersign: new Countersign({ baseUrl, token, fetch: api, retry: { retries: 0 } }),
      holder: (await known.json()) as Identity,
    };
    const authInfo = { token, clientId: 'countersign', scopes: [], extra: { ...caller } };
    return handler.fetch(request, { authInfo });
  };
}

interface Caller {
  readonly countersign: Countersign;
  readonly holder: Identity;
}

/** Never resolved: these requests stay in the process. */
const baseUrl = 'http://api.countersign.internal';
const maxBytes = 64 * 1024;

import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly body: string;
  readonly idempotencyKey: string | undefined;
  /** What the upstream answered. */
  readonly status: number;
  readonly dropped: boolean;
}

export type Which = (call: Pick<Call, 'method' | 'path'>) => boolean;

/**
 * Stands between a client and the provider. It passes everything on, waits for the whole answer, and then drops it for
 * the calls that it was told to: the provider has done its work, and the client never hears of it.
 */
export class LossyProxy {
  /** Everything that reached the provider through here, oldest first. */
  readonly calls: Call[] = [];
  private drops: { readonly which: Which; left: number }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly upstream: URL,
  ) {}

  static async start(upstream: string): Promise<LossyProxy> {
    const server = createServer();
    const proxy = new LossyProxy(server, new URL(upstream));
    server.on('request', (incoming, outgoing) => void proxy.pass(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Drops the answers of the next `times` calls that match. */
  drop(which: Which, times: number): void {
    this.drops.push({ which, left: times });
  }

  /** Forgets calls and drops. @returns the drops that were asked for and never came to be */
  reset(): number {
    const unused = this.drops.reduce((sum, { left }) => sum + left, 0);
    this.drops = [];
    this.calls.length = 0;
    return unused;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await whole(incoming);
    const { method = 'GET', url = '/', headers } = incoming;
    const onward = request(new URL(url, this.upstream), {
      method,
      headers: { ...headers, host: this.upstream.host },
    });
    onward.end(body);
    try {
      const [answer] = (await once(onward, 'response')) as [IncomingMessage];
      const content = await whole(answer);
      const [path = ''] = url.split('?');
      const drop = this.drops.find(({ which, left }) => left > 0 && which({ method, path }));
      const key = headers['idempotency-key'];
      this.calls.push({
        method,
        path,
        body: body.toString(),
        idempotencyKey: typeof key === 'string' ? key : undefined,
        status: answer.statusCode ?? 0,
        dropped: drop !== undefined,
      });
      if (drop) {
        drop.left -= 1;
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(content);
    } catch {
      outgoing.destroy();
    }
  }
}

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

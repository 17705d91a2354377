import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** What happens to one call on its way; after the last, calls are handed on as they are. */
export type Trouble =
  /** The API acts, and its answer is lost. */
  | { readonly kind: 'answer_lost' }
  /** Somebody in between answers. */
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
    }
  /** The stream ends after `events` events, cleanly or not. */
  | { readonly kind: 'stream_cut'; readonly events: number; readonly cleanly: boolean };

/** A proxy in front of a real API, for what goes wrong between a client and it. */
export class FrontDoor {
  readonly seen: SeenCall[] = [];
  private readonly troubles: Trouble[] = [];

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async before(apiUrl: string): Promise<FrontDoor> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const door = new FrontDoor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (call: IncomingMessage, answer: ServerResponse) => door.pass(apiUrl, call, answer));
    return door;
  }

  next(...troubles: Trouble[]): void {
    this.seen.length = 0;
    this.troubles.push(...troubles);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private pass(apiUrl: string, call: IncomingMessage, answer: ServerResponse): void {
    this.seen.push({ method: call.method ?? '', path: call.url ?? '', headers: call.headers });
    const trouble = this.troubles.shift();
    if (trouble?.kind === 'answered') {
      answer.writeHead(trouble.status, trouble.headers);
      answer.end(typeof trouble.body === 'string' ? trouble.body : JSON.stringify(trouble.body ?? {}));
      return;
    }
    const onward = request(new URL(call.url ?? '/', apiUrl), { method: call.method, headers: call.headers });
    call.pipe(onward);
    answer.on('close', () => onward.destroy());
    onward.on('error', () => answer.destroy());
    onward.on('response', (response) => {
      if (trouble?.kind === 'answer_lost') {
        response.resume().on('end', () => answer.destroy());
        return;
      }
      answer.writeHead(response.statusCode ?? 500, response.headers);
      answer.flushHeaders();
      // Broken off on one side, it is broken off on the other.
      if (trouble === undefined) pipeline(response, answer, () => undefined);
      else cutAfter(trouble, response, answer);
    });
  }
}

function cutAfter(
  { events, cleanly }: Extract<Trouble, { kind: 'stream_cut' }>,
  response: IncomingMessage,
  answer: ServerResponse,
): void {
  let text = '';
  response.on('data', (piece: Buffer) => {
    text += piece.toString();
    const whole = text.split('\n\n').slice(0, events);
    if (text.split('\n\n').length <= events || answer.writableEnded) return;
    // Half an event more: it must not be taken for one.
    answer.write(`${whole.join('\n\n')}\n\nid: 999\ndata: {"seq":`, () => {
      if (cleanly) answer.end();
      else answer.destroy();
    });
    response.removeAllListeners('data').resume();
  });
}

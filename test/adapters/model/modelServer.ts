import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelSettings } from '../../../src/adapters/model/settings';
import type { ModelCall } from '../../../src/ports/model';

/** What the server says next: an answer of a model, or something else on the wire. */
export type Said =
  | Words
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  /** The same, but not before that. */
  | { readonly after: Promise<unknown>; readonly say: Said }
  | 'silence'
  | 'hang up';

interface Words {
  readonly text?: string;
  readonly calls?: readonly ModelCall[];
  readonly cutOff?: boolean;
  readonly declined?: boolean;
}

/** As much as this server reads of what it is asked. */
interface Asked {
  readonly tools?: readonly { readonly name?: string; readonly function?: { readonly name: string } }[];
  readonly response_format?: object;
  readonly output_config?: object;
}

export type Protocol = ModelSettings['kind'];

/** A server on this machine that speaks the protocol of one kind of model, as a script says, and keeps what it was asked. */
export class ModelServer {
  readonly asked: {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: string;
  }[] = [];
  script: Said[] = [];

  private constructor(
    private readonly protocol: Protocol,
    private readonly server: ReturnType<typeof createServer>,
  ) {}

  static async start(protocol: Protocol): Promise<ModelServer> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const model = new ModelServer(protocol, server);
    server.on('request', (request, response) => void model.answer(request, response));
    return model;
  }

  settings(more: Partial<ModelSettings> = {}): ModelSettings {
    const { port } = this.server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}${this.protocol === 'openai' ? '/v1' : ''}`;
    return {
      ...{ kind: this.protocol, name: 'model-1', apiKey: 'key-1', baseUrl, timeoutMs: 5_000 },
      ...{ structuredOutput: true, inputPrice: 3, outputPrice: 15, ...more },
    };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    this.asked.push({ path: request.url ?? '', headers: request.headers, body });
    const said = this.script.length > 1 ? this.script.shift() : this.script[0];
    await this.say(said, body, request, response);
  }

  private async say(
    said: Said | undefined,
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (said === 'silence' || said === undefined) return;
    if (said === 'hang up') return void request.socket.destroy();
    if ('after' in said) {
      await said.after;
      return this.say(said.say, body, request, response);
    }
    const plain = 'status' in said;
    response.writeHead(plain ? said.status : 200, {
      'content-type': 'application/json',
      ...(plain ? said.headers : {}),
    });
    response.end(
      plain
        ? (said.body ?? '{"error":{"type":"some_error","message":"no"}}')
        : this.spoken(said, JSON.parse(body) as Asked),
    );
  }

  private spoken(words: Words, asked: Asked): string {
    const { text = '', calls = [], cutOff = false, declined = false } = this.inItsForm(words, asked);
    if (this.protocol === 'anthropic')
      return JSON.stringify({
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'model-1', stop_sequence: null },
        content: [
          ...(text === '' ? [] : [{ type: 'text', text }]),
          ...calls.map((call) => ({ type: 'tool_use', ...call })),
        ],
        stop_reason: declined
          ? 'refusal'
          : cutOff
            ? 'max_tokens'
            : calls.length > 0
              ? 'tool_use'
              : 'end_turn',
        usage: { input_tokens: 100, output_tokens: 20 },
      });
    const toolCalls = calls.map(({ id, name, input }) => ({
      ...{ id, type: 'function' },
      function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
    }));
    return JSON.stringify({
      ...{ id: 'c_1', object: 'chat.completion', created: 1, model: 'model-1' },
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: declined ? null : text,
            ...(declined ? { refusal: 'I will not.' } : {}),
            ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
          },
          finish_reason: cutOff ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
        },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    });
  }

  /** Asked for structured output, a model calls no tool to answer: what would be its input is the text. */
  private inItsForm(words: Words, { tools = [], response_format, output_config }: Asked): Words {
    if (response_format === undefined && output_config === undefined) return words;
    const isTool = (name: string) => tools.some((tool) => (tool.function?.name ?? tool.name) === name);
    const answer = words.calls?.find(({ name }) => !isTool(name));
    if (!answer) return words;
    return {
      ...words,
      text: JSON.stringify(answer.input),
      calls: words.calls?.filter((call) => call !== answer) ?? [],
    };
  }
}

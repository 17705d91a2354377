import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { cliEntry } from '../../src/main/version';

export const ways = ['standard input and output', 'HTTP'] as const;
export type Way = (typeof ways)[number];

/** What the API answered to a tool, or refused it with. */
export interface ToolAnswer {
  readonly refused: boolean;
  readonly content: Record<string, unknown>;
}

/** The official client, connected with one key. */
export class Agent {
  private constructor(private readonly client: Client) {}

  static async connect(way: Way, apiUrl: string, token: string): Promise<Agent> {
    const client = new Client({ name: 'an-agent', version: '1' });
    await client.connect(
      way === 'HTTP'
        ? new StreamableHTTPClientTransport(new URL('/mcp', apiUrl), {
            authProvider: { token: async () => token },
          })
        : new StdioClientTransport({
            command: process.execPath,
            args: [cliEntry, 'mcp'],
            env: { COUNTERSIGN_API_URL: apiUrl, COUNTERSIGN_TOKEN: token },
            stderr: 'ignore',
          }),
    );
    return new Agent(client);
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  async call(name: string, input: Record<string, unknown>): Promise<ToolAnswer> {
    const { isError, content } = await this.client.callTool({ name, arguments: input });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '{}';
    return { refused: isError === true, content: parsed(text) };
  }

  async close(): Promise<void> {
    await this.client.close();
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // The protocol's own errors are sentences.
    return { text };
  }
}

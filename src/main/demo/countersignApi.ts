import type { TimelineEntry } from '../../application/views';

export interface Answer<Body> {
  readonly status: number;
  /** `code` where it is a problem. */
  readonly body: Body & { readonly code?: string };
}

/** The longest that anything in the story may take, ms; on a busy machine most of it is waiting for a core. */
export const patienceMs = 45_000;

/** The HTTP door with one person's token: what a service or a reviewer's browser would send. */
export class CountersignApi {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get<Body>(path: string): Promise<Answer<Body>> {
    return this.call('GET', path);
  }

  post<Body>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<Body>> {
    return this.call('POST', path, body, headers);
  }

  /** @throws Error unless the answer is 200 */
  async read<Body>(path: string): Promise<Body> {
    const { status, body } = await this.get<Body>(path);
    if (status !== 200) throw new Error(`GET ${path} answers ${status} ${body.code ?? ''}`);
    return body;
  }

  /**
   * Follows a run's server-sent events until one of the named ones.
   * @returns everything from the beginning up to that event
   * @throws Error when the run ends otherwise, or the time is up
   */
  async follow(runId: string, ...wanted: string[]): Promise<TimelineEntry[]> {
    const seen: TimelineEntry[] = [];
    try {
      const response = await this.fetch('GET', `/v1/refunds/${runId}/events`);
      if (!response.ok || !response.body) throw new Error(`the events answer ${response.status}`);
      let text = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        text += chunk;
        const messages = text.split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) {
          const entry = entryOf(message);
          if (entry) seen.push(entry);
          if (entry && wanted.includes(entry.event)) return seen;
        }
      }
      throw new Error('the run has ended');
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const trail = seen.map(({ event }) => event).join(', ');
      throw new Error(`${runId} was to reach ${wanted.join(' or ')}; ${why}, after: ${trail}`, {
        cause: error,
      });
    }
  }

  private async call<Body>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await this.fetch(method, path, body, headers);
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer<Body>['body'] };
  }

  private fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
  }
}

function entryOf(message: string): TimelineEntry | undefined {
  const data = message
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  return data === '' ? undefined : (JSON.parse(data) as TimelineEntry);
}

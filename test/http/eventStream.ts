import { until } from '../support/processes';

export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** A client of one stream of server-sent events, which keeps what it is told. */
export class EventStream {
  readonly events: ServerEvent[] = [];
  ended = false;

  private constructor(
    private readonly response: Response,
    private readonly abort: AbortController,
  ) {}

  static async open(url: string, token: string, lastEventId?: string): Promise<EventStream> {
    const abort = new AbortController();
    const response = await fetch(url, {
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${token}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const stream = new EventStream(response, abort);
    void stream.read();
    return stream;
  }

  get contentType(): string {
    return this.response.headers.get('content-type') ?? '';
  }

  until(enough: (events: readonly ServerEvent[]) => boolean): Promise<void> {
    return until(async () => enough(this.events));
  }

  /** Resolves when the server has closed the stream. */
  end(): Promise<void> {
    return until(async () => this.ended);
  }

  /** Leaves as a client does that is closed. */
  async leave(): Promise<void> {
    this.abort.abort();
    await this.end();
  }

  private async read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = '';
    try {
      for await (const chunk of this.response.body ?? []) {
        text += decoder.decode(chunk as Uint8Array, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        this.events.push(...blocks.map(eventOf));
      }
    } catch (error) {
      if (!this.abort.signal.aborted) throw error;
    } finally {
      this.ended = true;
    }
  }
}

function eventOf(block: string): ServerEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [name = '', ...rest] = line.split(': ');
    fields.set(name, rest.join(': '));
  }
  return {
    id: fields.get('id') ?? '',
    event: fields.get('event') ?? '',
    data: fields.get('data') ?? '',
  };
}

import { itemsOfPages } from './pages';
import type { PageOptions } from './reconciliations';
import type { AppendedMessages, NewMessage, Thread, ThreadContext, ThreadMessage } from './threadTypes';
import type { Call, CallOptions, Transport } from './transport';
import type { Page } from './types';

export interface ThreadOptions extends CallOptions {
  /** Whose thread; by default the caller's own. */
  readonly owner?: string | undefined;
}

export interface MessageFilter extends PageOptions {
  /** Only messages in which this id or amount stands. */
  readonly mentions?: string | undefined;
}

/** `countersign.threads`: what was said in conversations, and what a model sees of it. */
export class Threads {
  constructor(private readonly transport: Transport) {}

  /**
   * Begins a thread.
   * @param options `idempotencyKey`: the same key gives the same thread. Take it from your own records
   * @throws CountersignError invalid_request, sensitive_text, forbidden, idempotency_conflict
   */
  async start(
    thread: { readonly ownerId?: string | undefined; readonly title?: string | undefined } = {},
    { idempotencyKey = crypto.randomUUID(), signal }: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<Thread> {
    const { body } = await this.transport.call<Thread>({
      method: 'POST',
      path: '/v1/threads',
      body: thread,
      headers: { 'idempotency-key': idempotencyKey },
      signal,
    });
    return body;
  }

  /** One page of an owner's threads, newest first. @throws CountersignError forbidden */
  async list(filter: PageOptions = {}, options: ThreadOptions = {}): Promise<Page<Thread>> {
    const { owner, ...rest } = options;
    const query = { ...filter, owner };
    return (await this.transport.call<Page<Thread>>({ path: '/v1/threads', query, ...rest })).body;
  }

  /** Every thread of an owner, page after page. */
  all(filter: Omit<PageOptions, 'cursor'> = {}, options: ThreadOptions = {}): AsyncGenerator<Thread> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** @throws CountersignError not_found */
  async show(threadId: string, options: ThreadOptions = {}): Promise<Thread> {
    return (await this.transport.call<Thread>(at(threadId, '', options))).body;
  }

  /** One page of messages, oldest first. @throws CountersignError not_found */
  async messages(
    threadId: string,
    filter: MessageFilter = {},
    options: ThreadOptions = {},
  ): Promise<Page<ThreadMessage>> {
    const call = at(threadId, '/messages', options, { ...filter });
    return (await this.transport.call<Page<ThreadMessage>>(call)).body;
  }

  /** Every message, page after page. */
  allMessages(
    threadId: string,
    filter: Omit<MessageFilter, 'cursor'> = {},
    options: ThreadOptions = {},
  ): AsyncGenerator<ThreadMessage> {
    return itemsOfPages((cursor) => this.messages(threadId, { ...filter, cursor }, options));
  }

  /**
   * Appends messages, all or none.
   * @param options `expectedVersion`: refused when somebody else has appended since
   * @throws CountersignError not_found, invalid_request, sensitive_text, tool_call_unpaired, forbidden,
   * version_conflict, message_conflict, thread_full
   */
  async append(
    threadId: string,
    messages: readonly NewMessage[],
    { expectedVersion, ...options }: ThreadOptions & { readonly expectedVersion?: number | undefined } = {},
  ): Promise<AppendedMessages> {
    // A call that gets no answer is sent again, so every message needs a name.
    const named = messages.map((message) => ({
      ...message,
      clientMessageId: message.clientMessageId ?? crypto.randomUUID(),
    }));
    const { body } = await this.transport.call<AppendedMessages>({
      ...at(threadId, '/messages', options),
      method: 'POST',
      body: { messages: named, expectedVersion },
    });
    return body;
  }

  /**
   * What a model sees of the thread, and what it does not see.
   * @param request `budget` in tokens, by default 8,000
   * @throws CountersignError not_found, context_over_budget
   */
  async context(
    threadId: string,
    request: {
      readonly budget?: number | undefined;
      readonly compaction?: 'structured_summary' | 'sliding_window' | undefined;
      readonly explain?: boolean | undefined;
    } = {},
    options: ThreadOptions = {},
  ): Promise<ThreadContext> {
    const { budget, compaction, explain } = request;
    const query = { budget, compaction, explain: explain ? 'true' : undefined };
    return (await this.transport.call<ThreadContext>(at(threadId, '/context', options, query))).body;
  }
}

function at(
  threadId: string,
  below: string,
  { owner, signal }: ThreadOptions,
  query: NonNullable<Call['query']> = {},
): Call {
  return { path: `/v1/threads/${encodeURIComponent(threadId)}${below}`, query: { ...query, owner }, signal };
}

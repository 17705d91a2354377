import { randomUUID } from 'node:crypto';
import { MemoryReviews } from './memoryReviews';
import type {
  Memory,
  MemoryCandidate,
  MemoryCorrection,
  MemoryDecision,
  MemoryProposal,
  MemoryVersion,
} from './memoryTypes';
import { itemsOfPages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { Page } from './types';

export interface MemoryFilter {
  /** The caller without one; naming somebody else is for services, agents and administrators. */
  readonly owner?: string | undefined;
  /** ISO 8601: what was believed then. */
  readonly asOf?: string | undefined;
  /** `faded`: inferred long ago, to be confirmed. Default `believed`. */
  readonly state?: 'believed' | 'faded' | undefined;
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

export interface ProposeOptions extends CallOptions {
  /** The same key of the same owner answers as the first time. One is made without it. */
  readonly idempotencyKey?: string | undefined;
  /** The version that was read, 0 for none. */
  readonly version?: number | undefined;
}

/** Whose memory; the caller's own without an owner. */
export interface NamedMemory {
  readonly owner?: string | undefined;
  /** The version that was read; another one is refused with version_conflict. */
  readonly version?: number | undefined;
}

const path = '/v1/memories';
const one = (id: string): string => `${path}/${encodeURIComponent(id)}`;

/** `countersign.memories`: what is remembered, and the gate by which alone it is written. */
export class Memories {
  /** What administrators do about memory. */
  readonly reviews: MemoryReviews;

  constructor(private readonly transport: Transport) {
    this.reviews = new MemoryReviews(transport);
  }

  /** @throws CountersignError memory_denied (details: ruleIds), invalid_request, memory_scope_invalid, version_conflict */
  async propose(proposal: MemoryProposal, options: ProposeOptions = {}): Promise<MemoryDecision> {
    const { idempotencyKey = randomUUID(), version, ...more } = options;
    const headers = { 'idempotency-key': idempotencyKey, ...ifMatch(version) };
    return this.send<MemoryDecision>({ method: 'POST', path, body: proposal, headers, ...more });
  }

  /** What has become of a candidate that the caller proposed. @throws CountersignError not_found: also for others' */
  candidate(id: string, options: CallOptions = {}): Promise<MemoryCandidate> {
    return this.reviews.show(id, options);
  }

  /** One page, by key. @throws CountersignError forbidden, memory_scope_invalid, invalid_request */
  async list({ asOf, ...filter }: MemoryFilter = {}, options: CallOptions = {}): Promise<Page<Memory>> {
    return this.send<Page<Memory>>({ path, query: { ...filter, as_of: asOf }, ...options });
  }

  /** Every one, page after page. */
  all(filter: Omit<MemoryFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Memory> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** @throws CountersignError not_found: also for what is not believed any more */
  async show(
    id: string,
    { owner, asOf }: Pick<MemoryFilter, 'owner' | 'asOf'> = {},
    options: CallOptions = {},
  ): Promise<Memory> {
    return this.send<Memory>({ path: one(id), query: { owner, as_of: asOf }, ...options });
  }

  /** Says what is right instead. @throws CountersignError not_found, memory_denied, version_conflict */
  async correct(
    id: string,
    correction: MemoryCorrection,
    { owner }: Pick<MemoryFilter, 'owner'> = {},
    options: CallOptions = {},
  ): Promise<MemoryDecision> {
    const call = { method: 'PATCH', path: one(id), query: { owner }, body: correction, ...options } as const;
    return this.send<MemoryDecision>(call);
  }

  /** Says that it is so; then it does not fade. @throws CountersignError not_found, memory_denied, version_conflict */
  async confirm(
    id: string,
    { owner, version }: NamedMemory = {},
    options: CallOptions = {},
  ): Promise<MemoryDecision> {
    const call = { method: 'POST', path: `${one(id)}/confirm`, query: { owner }, body: { version } } as const;
    return this.send<MemoryDecision>({ ...call, ...options });
  }

  /** Contexts show it first from now on, with every later version. @throws CountersignError not_found, forbidden, pins_full */
  async pin(
    id: string,
    { owner }: Pick<MemoryFilter, 'owner'> = {},
    options: CallOptions = {},
  ): Promise<Memory> {
    return this.send<Memory>({ method: 'POST', path: `${one(id)}/pin`, query: { owner }, ...options });
  }

  /** By the id of any version. @throws CountersignError not_found, forbidden */
  async unpin(
    id: string,
    { owner }: Pick<MemoryFilter, 'owner'> = {},
    options: CallOptions = {},
  ): Promise<void> {
    await this.send({ method: 'DELETE', path: `${one(id)}/pin`, query: { owner }, ...options });
  }

  /** Removes it with its history. @throws CountersignError not_found, forbidden, version_conflict */
  async forget(id: string, { owner, version }: NamedMemory = {}, options: CallOptions = {}): Promise<void> {
    const headers = ifMatch(version);
    await this.send({ method: 'DELETE', path: one(id), query: { owner }, headers, ...options });
  }

  /** Every version, newest first. @throws CountersignError not_found, forbidden */
  async history(
    id: string,
    { owner }: Pick<MemoryFilter, 'owner'> = {},
    options: CallOptions = {},
  ): Promise<MemoryVersion[]> {
    const call = { path: `${one(id)}/history`, query: { owner }, ...options };
    return (await this.send<{ items: MemoryVersion[] }>(call)).items;
  }

  /** Every version of everything that is or was remembered of one owner. @throws CountersignError forbidden */
  async *export(
    { owner }: Pick<MemoryFilter, 'owner'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<MemoryVersion> {
    const answer = await this.transport.open({ path: `${path}/export`, query: { owner }, ...options });
    let rest = '';
    const decoder = new TextDecoder();
    for await (const piece of answer) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as MemoryVersion;
    }
  }

  private async send<Answer>(call: Parameters<Transport['call']>[0]): Promise<Answer> {
    return (await this.transport.call<Answer>(call)).body;
  }
}

function ifMatch(version: number | undefined): Record<string, string> {
  return version === undefined ? {} : { 'if-match': `"${version}"` };
}

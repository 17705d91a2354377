import type {
  CandidateStatus,
  Evidence,
  HeldSource,
  HoldWords,
  MemoryCandidate,
  MemoryHold,
  ReviewedCandidate,
  SourceHoldReport,
} from './memoryTypes';
import { itemsOfPages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { Page } from './types';

export interface CandidateFilter {
  /** Default `waiting`. */
  readonly status?: CandidateStatus | undefined;
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

const path = '/v1/memories';
const part = encodeURIComponent;

/** `countersign.memories.reviews`. For administrators: to others every method but `show` throws `forbidden`. */
export class MemoryReviews {
  constructor(private readonly transport: Transport) {}

  /** One page of the queue, oldest first. */
  async list(filter: CandidateFilter = {}, options: CallOptions = {}): Promise<Page<MemoryCandidate>> {
    return this.send({ path: `${path}/candidates`, query: { ...filter }, ...options });
  }

  all(
    filter: Omit<CandidateFilter, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<MemoryCandidate> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** Also for whoever proposed it, without comments of others. @throws CountersignError not_found */
  async show(id: string, options: CallOptions = {}): Promise<MemoryCandidate> {
    return this.send({ path: `${path}/candidates/${part(id)}`, ...options });
  }

  /**
   * On exactly what was read, which `proposalHash` names.
   * @throws CountersignError not_found, separation_of_duties, already_decided, approval_expired, decision_stale
   */
  async decide(
    id: string,
    body: {
      readonly decision: 'approve' | 'reject';
      readonly proposalHash: string;
      readonly comment?: string | undefined;
    },
    options: CallOptions = {},
  ): Promise<ReviewedCandidate> {
    return this.send({ method: 'POST', path: `${path}/candidates/${part(id)}/decisions`, body, ...options });
  }

  /** One page of what is held, oldest first. */
  async holds(
    filter: Omit<CandidateFilter, 'status'> = {},
    options: CallOptions = {},
  ): Promise<Page<MemoryHold>> {
    return this.send({ path: `${path}/holds`, query: { ...filter }, ...options });
  }

  allHolds(
    filter: Omit<CandidateFilter, 'status' | 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<MemoryHold> {
    return itemsOfPages((cursor) => this.holds({ ...filter, cursor }, options));
  }

  /** Believes one memory of this owner no more. @throws CountersignError not_found */
  async quarantine(
    id: string,
    owner: string,
    words: HoldWords,
    options: CallOptions = {},
  ): Promise<MemoryHold> {
    const call = {
      method: 'POST',
      path: `${path}/${part(id)}/quarantine`,
      query: { owner },
      body: words,
    } as const;
    return this.send({ ...call, ...options });
  }

  /** @throws CountersignError not_found where it is in no quarantine of its own */
  async release(id: string, owner: string, options: CallOptions = {}): Promise<void> {
    await this.send({
      method: 'DELETE',
      path: `${path}/${part(id)}/quarantine`,
      query: { owner },
      ...options,
    });
  }

  /** Sources that are held now. */
  async sources(options: CallOptions = {}): Promise<HeldSource[]> {
    return (await this.send<{ items: HeldSource[] }>({ path: `${path}/sources`, ...options })).items;
  }

  /** Believes nothing that was learnt from it, until it is released. */
  quarantineSource(source: Evidence, words: HoldWords, options: CallOptions = {}): Promise<SourceHoldReport> {
    return this.onSource('quarantine', { source, ...words }, options);
  }

  /** Believes nothing that was learnt from it, for good. */
  revokeSource(source: Evidence, words: HoldWords, options: CallOptions = {}): Promise<SourceHoldReport> {
    return this.onSource('revoke', { source, ...words }, options);
  }

  /** @throws CountersignError not_found where it isn't held */
  releaseSource(source: Evidence, options: CallOptions = {}): Promise<{ id: string; released: number }> {
    return this.onSource('release', { source }, options);
  }

  private onSource<Answer>(verb: string, body: unknown, options: CallOptions): Promise<Answer> {
    return this.send({ method: 'POST', path: `${path}/sources/${verb}`, body, ...options });
  }

  private async send<Answer>(call: Parameters<Transport['call']>[0]): Promise<Answer> {
    return (await this.transport.call<Answer>(call)).body;
  }
}

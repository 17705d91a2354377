import type { Schemas } from './schemas';
import type { CallOptions, Transport } from './transport';

/** Why a memory was chosen; `parts` from 0 to 1 each, before they are weighted. */
export type RecallReasons = Schemas['RecallReasons'];
export type RecallAnswer = Schemas['RecallAnswer'];
/** Its value is data, whatever it says. */
export type RecalledMemory = RecallAnswer['items'][number];

export interface RecallQuestion {
  /** Whose memory; the caller's without it. */
  readonly owner?: string | undefined;
  /** What was believed then, ISO 8601. */
  readonly asOf?: string | undefined;
  /** Says why each was chosen, and what was left out. */
  readonly explain?: boolean | undefined;
  /** 1 to 50. Default 10. */
  readonly limit?: number | undefined;
}

/** `countersign.recall`: search in long-term memory. */
export class Recall {
  constructor(private readonly transport: Transport) {}

  /** @throws CountersignError 422 invalid_request, memory_scope_invalid; 403 forbidden */
  async search(
    text: string,
    { owner, asOf, explain, limit }: RecallQuestion = {},
    options: CallOptions = {},
  ): Promise<RecallAnswer> {
    const query = { q: text, owner, as_of: asOf, explain: explain ? 'true' : undefined, limit };
    return (await this.transport.call<RecallAnswer>({ path: '/v1/memories/search', query, ...options })).body;
  }
}

import type { MemoryKind, MemorySource } from './memoryTypes';
import type { CallOptions, Transport } from './transport';

export interface RecallReasons {
  /** 0 to 1 each, before it is weighted. */
  readonly parts: Readonly<Record<'ids' | 'words' | 'recency' | 'confidence' | 'source', number>>;
  readonly terms: readonly { readonly word: string; readonly weight: number }[];
  readonly ids: readonly string[];
}

export interface RecalledMemory {
  readonly memory: {
    readonly id: string;
    readonly kind: MemoryKind;
    readonly key: string;
    /** Data, whatever it says. */
    readonly value: string;
    readonly source: MemorySource;
    readonly confidence: number;
    readonly validFrom: string;
  };
  readonly score: number;
  readonly why?: RecallReasons | undefined;
}

export interface RecallAnswer {
  /** Best first. */
  readonly items: readonly RecalledMemory[];
  readonly explanation?:
    | {
        readonly weights: RecallReasons['parts'];
        /** The next ones by rank, which the limit left out. */
        readonly leftOut: readonly {
          readonly id: string;
          readonly key: string;
          readonly score: number;
          readonly why: RecallReasons;
        }[];
        readonly unknownWords: readonly string[];
      }
    | undefined;
  /** The time that was asked about, or null for now. */
  readonly asOf: string | null;
}

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

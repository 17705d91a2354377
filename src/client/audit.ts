import { itemsOfPages } from './pages';
import type { CallOptions, Transport } from './transport';
import type { AuditAnchor, AuditKey, AuditRow, Page } from './types';

export interface AuditSearch {
  /** Of one run, by its `runId`. */
  readonly run?: string | undefined;
  readonly actor?: string | undefined;
  readonly event?: string | undefined;
  /** ISO 8601; `from` inclusive, `to` exclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** `countersign.audit`: the tenant's audit log. Administrators and auditors only: every method throws `forbidden`. */
export class Audit {
  constructor(private readonly transport: Transport) {}

  /** One page, newest first. @throws CountersignError invalid_request */
  async search(search: AuditSearch = {}, options: CallOptions = {}): Promise<Page<AuditRow>> {
    return this.get('/v1/audit', { ...search }, options);
  }

  /** Every row that fits, newest first. */
  searchAll(search: Omit<AuditSearch, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<AuditRow> {
    return itemsOfPages((cursor) => this.search({ ...search, cursor }, options));
  }

  /** Every row by run and number, which is the order of verification. */
  chains(options: CallOptions = {}): AsyncGenerator<AuditRow> {
    return itemsOfPages((cursor) =>
      this.get<Page<AuditRow>>('/v1/audit/chains', { cursor, limit: 1000 }, options),
    );
  }

  /** Every anchor, oldest first. */
  async *anchors(options: CallOptions = {}): AsyncGenerator<AuditAnchor> {
    for (let after = 0; ;) {
      const query = { after, limit: 50 };
      const { items } = await this.get<{ items: AuditAnchor[] }>('/v1/audit/anchors', query, options);
      yield* items;
      const last = items.at(-1);
      if (!last) return;
      after = last.seq;
    }
  }

  /** Public halves of the keys that sign anchors. */
  async keys(options: CallOptions = {}): Promise<AuditKey[]> {
    return (await this.get<{ keys: AuditKey[] }>('/v1/audit/keys', {}, options)).keys;
  }

  /** Sets an anchor now. @returns its number; null when nothing has grown since the last */
  async anchor(options: CallOptions = {}): Promise<{ seq: number | null }> {
    const call = { method: 'POST', path: '/v1/audit/anchors', ...options } as const;
    return (await this.transport.call<{ seq: number | null }>(call)).body;
  }

  private async get<Body>(
    path: string,
    query: Readonly<Record<string, string | number | undefined>>,
    options: CallOptions,
  ): Promise<Body> {
    return (await this.transport.call<Body>({ path, query, ...options })).body;
  }
}

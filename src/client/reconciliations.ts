import { itemsOfPages } from './pages';
import { pause } from './retry';
import type { CallOptions, Transport } from './transport';
import type { Difference, DifferenceStatus, Reconciliation } from './bookTypes';
import type { Page } from './types';

export interface PageOptions {
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

export interface DifferenceFilter extends PageOptions {
  /** Without one, those of every status. */
  readonly status?: DifferenceStatus | undefined;
}

const lookEveryMs = 500;
const path = '/v1/reconciliations';

/** `countersign.reconciliations`: our books against the provider's. */
export class Reconciliations {
  constructor(private readonly transport: Transport) {}

  /**
   * Starts one now, over the last `windowDays` days (1 to 366, default 35).
   * @throws CountersignError forbidden, invalid_request, dependency_unavailable
   */
  async start(windowDays?: number, options: CallOptions = {}): Promise<Reconciliation> {
    const call = { method: 'POST', path, body: { windowDays }, ...options } as const;
    return (await this.transport.call<Reconciliation>(call)).body;
  }

  /** @throws CountersignError not_found */
  async show(id: string, options: CallOptions = {}): Promise<Reconciliation> {
    const call = { path: `${path}/${encodeURIComponent(id)}`, ...options };
    return (await this.transport.call<Reconciliation>(call)).body;
  }

  /** One page, newest first. */
  async list(filter: PageOptions = {}, options: CallOptions = {}): Promise<Page<Reconciliation>> {
    const call = { path, query: { ...filter }, ...options };
    return (await this.transport.call<Page<Reconciliation>>(call)).body;
  }

  /** Every one, page after page. */
  all(filter: Omit<PageOptions, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Reconciliation> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** It as it changes, until it has ended: `finished` or `failed`. Give a `signal` to stop waiting. */
  async *watch(id: string, options: CallOptions = {}): AsyncGenerator<Reconciliation, void, undefined> {
    for (let before = ''; ; await pause(lookEveryMs, options.signal)) {
      const now = await this.show(id, options);
      const text = JSON.stringify(now);
      if (text !== before) yield now;
      before = text;
      if (now.finishedAt !== null) return;
    }
  }

  /** One page of what was found, oldest first. */
  async differences(filter: DifferenceFilter = {}, options: CallOptions = {}): Promise<Page<Difference>> {
    const call = { path: `${path}/differences`, query: { ...filter }, ...options };
    return (await this.transport.call<Page<Difference>>(call)).body;
  }

  /** Every difference that the filter lets through, page after page. */
  allDifferences(
    filter: Omit<DifferenceFilter, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Difference> {
    return itemsOfPages((cursor) => this.differences({ ...filter, cursor }, options));
  }

  /** @throws CountersignError not_found */
  async difference(id: string, options: CallOptions = {}): Promise<Difference> {
    const call = { path: `${path}/differences/${encodeURIComponent(id)}`, ...options };
    return (await this.transport.call<Difference>(call)).body;
  }

  /**
   * Somebody of the reviewing group has looked at it and needs no more of it.
   * @throws CountersignError not_found, invalid_request, sensitive_text, forbidden, separation_of_duties,
   * difference_not_open
   */
  async dismiss(id: string, comment: string, options: CallOptions = {}): Promise<Difference> {
    const { body } = await this.transport.call<Difference>({
      method: 'POST',
      path: `${path}/differences/${encodeURIComponent(id)}/dismiss`,
      body: { comment },
      ...options,
    });
    return body;
  }
}

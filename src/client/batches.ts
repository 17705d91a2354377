import type { Batch, BatchItem, BatchKind, ItemOutcome } from './batchTypes';
import { liveChanges, liveProgress } from './events';
import { order, type OrderOptions } from './orders';
import { itemsOfPages } from './pages';
import type { PageOptions } from './reconciliations';
import type { CallOptions, Transport } from './transport';
import type { Page, TimelineEntry } from './types';

/** A file as it is: CSV with a line of names, or one JSON object a line. */
export interface BatchFile {
  readonly type: 'text/csv' | 'application/x-ndjson';
  readonly text: string;
}

export interface BatchOptions extends CallOptions {
  /** The same key and file give the same batch. */
  readonly idempotencyKey: string;
  /** Default `refunds`. */
  readonly kind?: BatchKind | undefined;
  /** People approve the whole (default), or policy asks about each refund. */
  readonly approval?: 'manifest' | 'each' | undefined;
  /** Every row is looked at, also at the provider, and nothing runs. */
  readonly dryRun?: boolean | undefined;
  /** Rows that are not as they should be refuse the file (default), or are left out and named. */
  readonly invalidRows?: 'refuse' | 'leave_out' | undefined;
  readonly onBehalfOf?: string | undefined;
}

export interface ItemFilter extends PageOptions {
  readonly outcome?: ItemOutcome | undefined;
}

const root = '/v1/batches';

/** `countersign.batches`: thousands of refunds or documents as one run. */
export class Batches {
  constructor(private readonly transport: Transport) {}

  /**
   * @throws CountersignError 413 body_too_large; 422 batch_invalid (`details.rows` names row, field, code and what to
   * do), batch_empty, batch_too_large, batch_mixed_currencies, invalid_request; 403 forbidden; 409 idempotency_conflict
   */
  async start(file: BatchFile, options: BatchOptions): Promise<Batch> {
    const { idempotencyKey, signal, dryRun, ...query } = options;
    const { body } = await this.transport.call<Batch>({
      method: 'POST',
      path: root,
      query: { ...query, ...(dryRun === undefined ? {} : { dryRun: String(dryRun) }) },
      text: file.text,
      headers: { 'idempotency-key': idempotencyKey, 'content-type': file.type },
      signal,
    });
    return body;
  }

  /** @throws CountersignError not_found */
  async show(batchId: string, options: CallOptions = {}): Promise<Batch> {
    return (await this.transport.call<Batch>({ path: at(batchId), ...options })).body;
  }

  /** One page, newest first. */
  async list(filter: PageOptions = {}, options: CallOptions = {}): Promise<Page<Batch>> {
    return (await this.transport.call<Page<Batch>>({ path: root, query: { ...filter }, ...options })).body;
  }

  /** Every batch. */
  all(filter: Omit<PageOptions, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Batch> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** One page of rows in the order of the file, with what has become of each. */
  async items(batchId: string, filter: ItemFilter = {}, options: CallOptions = {}): Promise<Page<BatchItem>> {
    const call = { path: `${at(batchId)}/items`, query: { ...filter }, ...options };
    return (await this.transport.call<Page<BatchItem>>(call)).body;
  }

  /** Every such row. */
  allItems(
    batchId: string,
    filter: Omit<ItemFilter, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<BatchItem> {
    return itemsOfPages((cursor) => this.items(batchId, { ...filter, cursor }, options));
  }

  /** The result file, piece by piece: one row for each row of the file. */
  async result(
    batchId: string,
    format: 'csv' | 'jsonl' = 'csv',
    options: CallOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    return this.transport.open({ path: `${at(batchId)}/result`, query: { format }, ...options });
  }

  /**
   * No further row starts; those that move go on.
   * @throws CountersignError not_found, forbidden, version_conflict, batch_ended
   */
  async pause(batchId: string, options: OrderOptions = {}): Promise<Batch> {
    return order(this.transport, at(batchId), 'pause', options);
  }

  /** @throws CountersignError not_found, forbidden, version_conflict, batch_ended, batch_not_paused */
  async resume(batchId: string, options: OrderOptions = {}): Promise<Batch> {
    return order(this.transport, at(batchId), 'resume', options);
  }

  /**
   * Rows that have not started never do.
   * @throws CountersignError not_found, forbidden, version_conflict, batch_ended
   */
  async cancel(batchId: string, options: OrderOptions = {}): Promise<Batch> {
    return order(this.transport, at(batchId), 'cancel', options);
  }

  /** It as it changes, until it has ended. Give a `signal` to stop waiting. */
  async *watch(batchId: string, options: CallOptions = {}): AsyncGenerator<Batch, void, undefined> {
    const ended = ({ endedAt }: Batch) => endedAt !== null;
    yield* liveProgress(this.transport, `${at(batchId)}/events`, ended, options);
  }

  /** Something whenever it has changed, and each time that it is connected. Never ends by itself: give a `signal`. */
  changes(batchId: string, options: CallOptions = {}): AsyncGenerator<void, void, undefined> {
    return liveChanges(this.transport, `${at(batchId)}/events`, options);
  }

  /** Every transition of the batch itself so far; each row's run has its own. @throws CountersignError not_found */
  async timeline(batchId: string, options: CallOptions = {}): Promise<readonly TimelineEntry[]> {
    const call = { path: `${at(batchId)}/timeline`, ...options };
    return (await this.transport.call<Page<TimelineEntry>>(call)).body.items;
  }
}

function at(batchId: string): string {
  return `${root}/${encodeURIComponent(batchId)}`;
}

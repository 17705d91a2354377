import { isFinal } from '../domain/contract';
import { liveEvents, type WatchOptions } from './events';
import { itemsOfPages } from './pages';
import type { ForkRequest, PastDifference, PastPoint, PastState } from './pastTypes';
import { pause } from './retry';
import type { Call, CallOptions, Transport } from './transport';
import type {
  AcceptedRefund,
  Page,
  Phase,
  Refund,
  RefundRequest,
  Review,
  SplitRefund,
  SplitRequest,
  TimelineEntry,
} from './types';

export interface RefundFilter {
  readonly phase?: Phase | undefined;
  /** The customer of the payment. */
  readonly customer?: string | undefined;
  /** The one id of the payment, `ch_…`. */
  readonly payment?: string | undefined;
  /** Whoever asked for it. */
  readonly requester?: string | undefined;
  /** ISO 8601: taken in at this moment or later. */
  readonly from?: string | undefined;
  /** ISO 8601: taken in before this moment. */
  readonly to?: string | undefined;
  /** ISO 4217; needed by the amounts. */
  readonly currency?: string | undefined;
  /** Major units of `currency`, inclusive. */
  readonly minAmount?: string | undefined;
  readonly maxAmount?: string | undefined;
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

export interface StartOptions extends CallOptions {
  /**
   * Names this one refund for good: the same key and body give the same run, however often it is sent. Take it from
   * your own records (an order's return number), so that it survives a crash of your process.
   */
  readonly idempotencyKey: string;
}

/** After a live view that somebody in between ended. */
const reconnectAfterMs = 500;

/** `countersign.refunds` */
export class Refunds {
  constructor(private readonly transport: Transport) {}

  /**
   * Proposes a refund. What comes back is a run, which may wait days for a person.
   * @param request `amount.value` in major units, for example "49.00"
   * @throws CountersignError 422 invalid_request, amount_*, currency_*, payment_*, exceeds_remaining, sensitive_text;
   * 403 forbidden; 409 idempotency_conflict; dependency_unavailable
   */
  async start(request: RefundRequest, options: StartOptions): Promise<AcceptedRefund> {
    const { body } = await this.transport.call<AcceptedRefund>({
      method: 'POST',
      path: '/v1/refunds',
      body: request,
      headers: { 'idempotency-key': options.idempotencyKey },
      signal: options.signal,
    });
    return body;
  }

  /**
   * Refunds an order over several of its payments, all or nothing, with parts that sum exactly to the amount. Each
   * part is a refund of its own.
   * @throws CountersignError as `start` does; `issues` name the payment that a refusal is about
   */
  async split(request: SplitRequest, options: StartOptions): Promise<SplitRefund> {
    const { body } = await this.transport.call<SplitRefund>({
      method: 'POST',
      path: '/v1/refunds/split',
      body: request,
      headers: { 'idempotency-key': options.idempotencyKey },
      signal: options.signal,
    });
    return body;
  }

  /** The parts of a split, and how far they have come. @throws CountersignError not_found */
  async showSplit(splitId: string, options: CallOptions = {}): Promise<SplitRefund> {
    const path = `/v1/refunds/split/${encodeURIComponent(splitId)}`;
    return (await this.transport.call<SplitRefund>({ path, ...options })).body;
  }

  /** @throws CountersignError not_found */
  async show(runId: string, options: CallOptions = {}): Promise<Refund> {
    return (await this.transport.call<Refund>({ ...at(runId), ...options })).body;
  }

  /** One page, newest first. @throws CountersignError invalid_request, amount_* */
  async list(filter: RefundFilter = {}, options: CallOptions = {}): Promise<Page<Refund>> {
    const { minAmount, maxAmount, ...same } = filter;
    const query = { ...same, min_amount: minAmount, max_amount: maxAmount };
    return (await this.transport.call<Page<Refund>>({ path: '/v1/refunds', query, ...options })).body;
  }

  /** Every refund that the filter lets through, page after page. */
  all(filter: Omit<RefundFilter, 'cursor'> = {}, options: CallOptions = {}): AsyncGenerator<Refund> {
    return itemsOfPages((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** Every transition so far, with who and when. @throws CountersignError not_found */
  async timeline(runId: string, options: CallOptions = {}): Promise<readonly TimelineEntry[]> {
    const { body } = await this.transport.call<Page<TimelineEntry>>({
      ...at(runId, '/timeline'),
      ...options,
    });
    return body.items;
  }

  /**
   * What the run was after every event, oldest first, or at one point of its past alone.
   * @throws CountersignError not_found, invalid_request for a point that it has not had
   */
  async states(
    runId: string,
    { at: point, ...options }: CallOptions & { readonly at?: PastPoint | undefined } = {},
  ): Promise<readonly PastState[]> {
    const call = { ...at(runId, '/states'), query: { at: point }, ...options };
    return (await this.transport.call<Page<PastState>>(call)).body.items;
  }

  /** How the run differs between two points of its past. @throws CountersignError not_found, invalid_request */
  async difference(
    runId: string,
    from: PastPoint,
    to: PastPoint,
    options: CallOptions = {},
  ): Promise<PastDifference> {
    const call = { ...at(runId, '/states/difference'), query: { from, to }, ...options };
    return (await this.transport.call<PastDifference>(call)).body;
  }

  /**
   * Starts another run from a point in the past of this one, with changed inputs: a refund like any other, under its own
   * key, with its own approval. This run goes on as it does.
   * @throws CountersignError as `start` does; not_found
   */
  async fork(runId: string, changes: ForkRequest, options: StartOptions): Promise<AcceptedRefund> {
    const { body } = await this.transport.call<AcceptedRefund>({
      method: 'POST',
      ...at(runId, '/fork'),
      body: changes,
      headers: { 'idempotency-key': options.idempotencyKey },
      signal: options.signal,
    });
    return body;
  }

  /**
   * Cancels while no call to the provider is on record; repeating it changes nothing.
   * `recorded` means that no worker was up: it is cancelled as soon as one is.
   * `onBehalfOf`: the human for whom a service or an agent cancels; the timeline names him.
   * @throws CountersignError not_found, invalid_request, forbidden, run_not_cancellable
   */
  async cancel(
    runId: string,
    { onBehalfOf, ...options }: CallOptions & { readonly onBehalfOf?: string | undefined } = {},
  ): Promise<{ readonly status: 'cancelled' | 'recorded'; readonly refund: Refund }> {
    const { status, body } = await this.transport.call<Refund>({
      method: 'POST',
      ...at(runId, '/cancel'),
      ...(onBehalfOf === undefined ? {} : { body: { onBehalfOf } }),
      ...options,
    });
    return { status: status === 202 ? 'recorded' : 'cancelled', refund: body };
  }

  /**
   * Settles a refund that needs review, as a person of the reviewing group: `retry` sends it again under its own key,
   * `resolve_paid` names the provider's refund that paid it, `fail` ends it where nothing was paid.
   * `recorded` means that no worker was up: it takes effect as soon as one is.
   * @throws CountersignError not_found, invalid_request, forbidden, separation_of_duties, review_not_open,
   * review_contradicted
   */
  async review(
    runId: string,
    review: Review,
    options: CallOptions = {},
  ): Promise<{ readonly status: 'applied' | 'recorded'; readonly refund: Refund }> {
    const { status, body } = await this.transport.call<Refund>({
      method: 'POST',
      ...at(runId, '/review'),
      body: review,
      ...options,
    });
    return { status: status === 202 ? 'recorded' : 'applied', refund: body };
  }

  /**
   * The timeline from its beginning, or after a `seq`, and on as it grows; ends when the run has ended. Lost
   * connections are made again where they broke off.
   * @throws CountersignError not_found, or dependency_unavailable when the API stays away
   */
  async *watch(runId: string, options: WatchOptions = {}): AsyncGenerator<TimelineEntry, void, undefined> {
    let seen = options.after ?? 0;
    for (;;) {
      for await (const entry of liveEvents(this.transport, runId, { ...options, after: seen })) {
        seen = entry.seq;
        yield entry;
      }
      // A proxy may have ended the stream, not the run.
      if (isFinal((await this.show(runId, options)).phase)) break;
      await pause(reconnectAfterMs, options.signal);
    }
    for (const entry of await this.timeline(runId, options)) if (entry.seq > seen) yield entry;
  }

  /**
   * Waits until a person or the policy has decided, or the run has ended; for days, if need be: give a `signal`.
   * Look at `approval` and `phase` for how it was decided.
   */
  async waitUntilDecided(runId: string, options: CallOptions = {}): Promise<Refund> {
    return this.waitUntil(
      runId,
      ({ phase }) => phase !== 'validating' && phase !== 'waiting_approval',
      options,
    );
  }

  /** Waits until the run has ended: `completed`, `rejected`, `expired`, `cancelled` or `failed`. */
  async waitUntilFinished(runId: string, options: CallOptions = {}): Promise<Refund> {
    return this.waitUntil(runId, ({ phase }) => isFinal(phase), options);
  }

  private async waitUntil(
    runId: string,
    reached: (refund: Refund) => boolean,
    options: CallOptions,
  ): Promise<Refund> {
    // In this order: what happens between the two calls is then seen as an event.
    const after = (await this.timeline(runId, options)).at(-1)?.seq ?? 0;
    const now = await this.show(runId, options);
    if (reached(now)) return now;
    for await (const _entry of this.watch(runId, { ...options, after })) {
      const refund = await this.show(runId, options);
      if (reached(refund)) return refund;
    }
    return this.show(runId, options);
  }
}

function at(runId: string, below = ''): Pick<Call, 'path'> {
  return { path: `/v1/refunds/${encodeURIComponent(runId)}${below}` };
}

import { createHmac } from 'node:crypto';
import type { ProviderDatabase } from './database';
import { eventView } from './eventOperations';

/** Signs as Stripe signs: HMAC-SHA256 over `<seconds>.<raw body>` with the endpoint's secret. */
export function signatureHeader(body: string, secret: string, atSeconds: number): string {
  const signature = createHmac('sha256', secret)
    .update(`${String(atSeconds)}.${body}`)
    .digest('hex');
  return `t=${String(atSeconds)},v1=${signature}`;
}

/** How long an attempt under way may still take when the provider stops, milliseconds. */
const graceMs = 1_000;

export interface CourierOptions {
  /** Waits between attempts, milliseconds; after the last one a delivery is abandoned. */
  readonly retryMs: readonly number[];
  readonly timeoutMs: number;
  readonly now: () => number;
}

interface DueDelivery {
  readonly id: number;
  readonly event: string;
  readonly endpoint: string;
  readonly attempts: number;
  readonly url: string;
  readonly secret: string;
}

/** Delivers the webhooks that are written down as due, each endpoint's one after another in their order. */
export class WebhookCourier {
  private readonly underWay = new Set<number>();
  private readonly cut = new AbortController();
  private closing = false;

  constructor(
    private readonly db: ProviderDatabase,
    private readonly options: CourierOptions,
  ) {}

  /** Starts no more attempts, and cuts those that take long; they stay due and are repeated after a restart. */
  close(): void {
    this.closing = true;
    setTimeout(() => {
      this.cut.abort();
    }, graceMs).unref();
  }

  async deliverDue(): Promise<void> {
    await this.deliver(await this.due().where('d.due_ms', '<=', this.options.now()).limit(200).execute());
  }

  /** One attempt each, whatever their time. */
  async deliverNow(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await this.deliver(await this.due().where('d.id', 'in', ids).execute());
  }

  /** When the next delivery that isn't under way is due, milliseconds since the epoch. */
  async nextDueMs(): Promise<number | null> {
    const waiting = await this.due()
      .clearOrderBy()
      .orderBy('d.due_ms')
      .select('d.due_ms')
      .limit(this.underWay.size + 1)
      .execute();
    return waiting.find(({ id }) => !this.underWay.has(id))?.due_ms ?? null;
  }

  private due() {
    return this.db
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhook_endpoints as e', 'e.id', 'd.endpoint')
      .select(['d.id', 'd.event', 'd.endpoint', 'd.attempts', 'e.url', 'e.secret'])
      .where('d.status', '=', 'waiting')
      .where('e.enabled', '=', true)
      .orderBy('d.id');
  }

  private async deliver(deliveries: readonly DueDelivery[]): Promise<void> {
    const byEndpoint = new Map<string, DueDelivery[]>();
    for (const delivery of deliveries) {
      if (this.underWay.has(delivery.id)) continue;
      this.underWay.add(delivery.id);
      byEndpoint.set(delivery.endpoint, [...(byEndpoint.get(delivery.endpoint) ?? []), delivery]);
    }
    await Promise.all([...byEndpoint.values()].map((queue) => this.deliverInOrder(queue)));
  }

  private async deliverInOrder(queue: readonly DueDelivery[]): Promise<void> {
    for (const delivery of queue) {
      try {
        if (!this.closing) await this.attempt(delivery);
      } finally {
        this.underWay.delete(delivery.id);
      }
    }
  }

  private async attempt(delivery: DueDelivery): Promise<void> {
    const event = await this.db
      .selectFrom('events')
      .selectAll()
      .where('id', '=', delivery.event)
      .executeTakeFirstOrThrow();
    const body = JSON.stringify(eventView(event, 1));
    const result = await this.send(delivery, body);
    if (this.cut.signal.aborted) return;
    const attempts = delivery.attempts + 1;
    if (result === 'delivered') {
      await this.db
        .updateTable('webhook_deliveries')
        .set({ status: 'delivered', attempts, last_result: result })
        .where('id', '=', delivery.id)
        .execute();
      // This one has overtaken what was held back to be out of order.
      await this.db
        .updateTable('webhook_deliveries')
        .set({ held: false, due_ms: this.options.now() })
        .where('endpoint', '=', delivery.endpoint)
        .where('held', '=', true)
        .where('status', '=', 'waiting')
        .where('id', '!=', delivery.id)
        .execute();
      return;
    }
    const wait = this.options.retryMs[delivery.attempts];
    await this.db
      .updateTable('webhook_deliveries')
      .set({
        status: wait === undefined ? 'abandoned' : 'waiting',
        attempts,
        due_ms: this.options.now() + (wait ?? 0),
        last_result: result,
      })
      .where('id', '=', delivery.id)
      .execute();
  }

  private async send(delivery: DueDelivery, body: string): Promise<string> {
    try {
      const response = await fetch(delivery.url, {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Countersign-Sandbox/1.0 (simulation)',
          'stripe-signature': signatureHeader(body, delivery.secret, Math.floor(this.options.now() / 1_000)),
        },
        signal: AbortSignal.any([this.cut.signal, AbortSignal.timeout(this.options.timeoutMs)]),
      });
      await response.body?.cancel();
      return response.ok ? 'delivered' : `HTTP ${String(response.status)}`;
    } catch (error) {
      return error instanceof Error ? error.message : 'not delivered';
    }
  }
}

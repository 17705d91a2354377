import Stripe from 'stripe';
import { pooled } from './pooled';

/** Minor units of the currency below: more than policy lets pass without a person, few enough for one. */
export const refundMinor = 12_000;
export const refundAmount = { value: '120.00', currency: 'USD' } as const;

interface RequestReport {
  readonly counts: Readonly<Record<'total' | 'replayed' | 'cut' | 'succeeded' | 'refused' | 'keys', number>>;
  readonly items: readonly { readonly atMs: number }[];
}

/** The payments that are refunded, and the provider's own word on what happened to them. */
export class SandboxProvider {
  private readonly stripe: Stripe;

  constructor(
    private readonly url: string,
    apiKey: string,
    private readonly adminToken: string,
  ) {
    const { hostname, port } = new URL(url);
    this.stripe = new Stripe(apiKey, { protocol: 'http', host: hostname, port, telemetry: false });
  }

  /** Payments of that many customers, each large enough for one refund. @returns their ids */
  async charges(count: number): Promise<string[]> {
    return pooled(Array.from({ length: count }), 10, async () => {
      const charge = await this.stripe.charges.create({
        amount: refundMinor,
        currency: refundAmount.currency.toLowerCase(),
        source: 'tok_visa',
      });
      return charge.id;
    });
  }

  /** When the provider received the call that made this payment's refund, ms since the epoch. */
  async refundedAt(charge: string): Promise<number> {
    const { items } = await this.log({ payment: charge });
    const [call] = items;
    if (!call) throw new Error(`the provider knows of no refund of ${charge}`);
    return call.atMs;
  }

  /** How many refund calls it had so far, and how many of them made a refund. */
  async refunds(): Promise<{ calls: number; made: number }> {
    const { counts } = await this.log({ limit: '1' });
    return { calls: counts.total, made: counts.succeeded };
  }

  private async log(query: Readonly<Record<string, string>>): Promise<RequestReport> {
    const search = new URLSearchParams({ method: 'POST', path: '/v1/refunds', ...query });
    const response = await fetch(`${this.url}/sandbox/requests?${search.toString()}`, {
      headers: { authorization: `Bearer ${this.adminToken}` },
    });
    if (!response.ok) throw new Error(`the provider's request log answered ${response.status}`);
    return (await response.json()) as RequestReport;
  }
}

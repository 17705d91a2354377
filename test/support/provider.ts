import Stripe from 'stripe';
import { wantedEvents } from '../../src/adapters/payments/stripeWebhooks';
import { startProvider, type RunningProvider } from '../../src/sandbox/provider/startProvider';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import { createProviderDatabase } from './database';

/** The sandbox provider over real HTTP, in this process, with a database of its own. Money is counted here. */
export class TestProvider {
  readonly key = 'sk_test_of_this_suite';
  readonly adminToken = 'admin-of-this-suite';
  readonly stripe: Stripe;

  private constructor(
    readonly url: string,
    private readonly running: RunningProvider,
    private readonly dropDatabase: () => Promise<void>,
  ) {
    const { hostname, port } = new URL(url);
    this.stripe = new Stripe(this.key, {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
  }

  static async start(): Promise<TestProvider> {
    const database = await createProviderDatabase();
    const running = await startProvider({
      databaseUrl: database.url,
      host: '127.0.0.1',
      port: await claimPort(),
      apiKeys: ['sk_test_of_this_suite'],
      adminToken: 'admin-of-this-suite',
    });
    return new TestProvider(running.url, running, () => database.drop());
  }

  /** A captured payment. `amount` in the provider's units. @returns its charge id */
  async charge(
    amount: number,
    currency = 'usd',
    more: Partial<Stripe.ChargeCreateParams> = {},
  ): Promise<string> {
    return (await this.stripe.charges.create({ amount, currency, source: 'tok_visa', ...more })).id;
  }

  /** Sends its events to this address from now on. @returns what it signs them with */
  async sendEventsTo(url: string): Promise<string> {
    const made = await this.stripe.webhookEndpoints.create({ url, enabled_events: [...wantedEvents] });
    return made.secret ?? '';
  }

  /** The refunds that the provider has made of one payment; failed and canceled ones too. */
  async refunds(charge: string): Promise<Stripe.Refund[]> {
    return (await this.stripe.refunds.list({ charge, limit: 100 })).data;
  }

  /** The sandbox's own endpoints under /sandbox. */
  async admin(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}/sandbox/${path}`, {
      method,
      headers: { authorization: `Bearer ${this.adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async stop(): Promise<void> {
    await this.running.close();
    await this.dropDatabase();
  }
}

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import Stripe from 'stripe';
import { startProvider } from '../../../src/sandbox/provider/startProvider';
import type { ProviderOptions, RunningProvider } from '../../../src/sandbox/provider/startProvider';

export const keys = { acme: 'sk_test_acme_0123456789abcdef', globex: 'sk_test_globex_0123456789abcdef' };
const adminToken = 'sandbox-admin-token-of-this-test';

interface Summary {
  charges: {
    charge: string;
    captured: number;
    amountRefunded: number;
    refunded: number;
    succeeded: number;
    refunds: number;
    standingRefunds: number;
  }[];
  totals: { charges: number; refunds: number };
}

export interface RequestLog {
  counts: { total: number; replayed: number; cut: number; succeeded: number; refused: number; keys: number };
  items: {
    method: string;
    path: string;
    status: number | null;
    answered: boolean;
    replayed: boolean;
    faults: string[];
    idempotencyKey: string | null;
  }[];
}

/** The provider on a fresh database of a real PostgreSQL, driven by the official SDK. */
export class ProviderFixture {
  stripe!: Stripe;
  private running!: RunningProvider;
  private clock: (() => number) | undefined;
  /** What the provider logged as its own errors; none is expected, and `stop` says so. */
  readonly errors: object[] = [];

  private constructor(
    private readonly databaseUrl: string,
    private readonly asAdmin: (statement: string) => Promise<void>,
    private readonly options: Partial<ProviderOptions>,
  ) {}

  static async start(options: Partial<ProviderOptions> = {}): Promise<ProviderFixture> {
    const adminUrl = process.env['COUNTERSIGN_TEST_PG_ADMIN_URL'];
    if (adminUrl === undefined)
      throw new Error('COUNTERSIGN_TEST_PG_ADMIN_URL must name a PostgreSQL superuser.');
    const name = `provider_test_${randomBytes(6).toString('hex')}`;
    const asAdmin = async (statement: string): Promise<void> => {
      const client = new Client({ connectionString: adminUrl });
      await client.connect();
      await client.query(statement).finally(() => client.end());
    };
    await asAdmin(`create database ${name}`);
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const fixture = new ProviderFixture(url.href, asAdmin, options);
    await fixture.up();
    return fixture;
  }

  private async up(): Promise<void> {
    this.running = await startProvider({
      databaseUrl: this.databaseUrl,
      host: '127.0.0.1',
      port: 0,
      apiKeys: Object.values(keys),
      adminToken,
      webhookRetryMs: [20, 20],
      logger: { error: (fields) => this.errors.push(fields) },
      now: () => (this.clock ?? Date.now)(),
      ...this.options,
    });
    this.stripe = this.clientOf(keys.acme);
  }

  /** Makes the provider's clock say something else from now on. */
  setClock(clock: () => number): void {
    this.clock = clock;
  }

  get url(): string {
    return this.running.url;
  }

  private get databaseName(): string {
    return new URL(this.databaseUrl).pathname.slice(1);
  }

  /** Ends every connection that the provider has to its database, as a restart of PostgreSQL does. */
  async breakDatabaseConnections(): Promise<void> {
    await this.asAdmin(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${this.databaseName}'`,
    );
  }

  clientOf(key: string): Stripe {
    const { hostname, port } = new URL(this.running.url);
    return new Stripe(key, {
      host: hostname,
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
  }

  async restart(): Promise<void> {
    await this.running.close();
    await this.up();
  }

  async stop(): Promise<void> {
    await this.running.close();
    // Dropping the database may break connections that are still closing.
    const errors = [...this.errors];
    await this.asAdmin(`drop database ${this.databaseName} with (force)`);
    expect(errors).toEqual([]);
  }

  async charge(amount: number, more: Partial<Stripe.ChargeCreateParams> = {}): Promise<Stripe.Charge> {
    return this.stripe.charges.create({ amount, currency: 'usd', source: 'tok_visa', ...more });
  }

  async admin<T = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<T> {
    const response = await fetch(`${this.running.url}/sandbox${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T;
    if (!response.ok)
      throw new Error(`${method} ${path} was answered ${String(response.status)} ${JSON.stringify(answer)}`);
    return answer;
  }

  async fault(kind: string, settings: object = {}): Promise<void> {
    await this.admin('POST', '/faults', { kind, ...settings });
  }

  async money(charge: string): Promise<Summary['charges'][number]> {
    const summary = await this.admin<Summary>('GET', `/summary?charge=${charge}`);
    const [row] = summary.charges;
    if (row === undefined || summary.charges.length !== 1) throw new Error(`no summary of ${charge}`);
    return row;
  }

  async requests(query = ''): Promise<RequestLog> {
    return this.admin<RequestLog>('GET', `/requests?${query}`);
  }
}

/** The error that a call ends with; a call that succeeds fails the test. */
export async function refusal(
  call: Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the provider accepted what it should have refused');
}

/** The id of a charge's payment intent. */
export function intentOf(charge: Stripe.Charge): string {
  if (typeof charge.payment_intent !== 'string') throw new Error('the payment intent is missing or expanded');
  return charge.payment_intent;
}

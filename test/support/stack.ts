import { join } from 'node:path';
import type { ApprovalView } from '../../src/application/views';
import { claimPort } from '../../src/sandbox/embedded/freePort';
import type { EmbeddedPerson, embeddedTenants } from '../../src/sandbox/embeddedTenants';
import { apiCaller, type ApiCaller } from './api';
import { createDatabase, type TestDatabase } from './database';
import { answers, fileExists, startProcess, type TestProcess } from './processes';
import { TestProvider } from './provider';
import { fromSetup, signingKey, testTokens } from './shared';
import { TestTemporal } from './temporal';

const hashKey = 'hash-key-for-tests-only';

type Tenant = keyof typeof embeddedTenants;

/** The whole product for one suite, in real processes: API and workers, with the suite's database, namespace and provider. */
export class TestStack {
  readonly workers: TestProcess[] = [];
  api!: TestProcess;

  private constructor(
    readonly database: TestDatabase,
    readonly provider: TestProvider,
    readonly temporal: TestTemporal,
    readonly apiPort: number,
    /** What the provider signs its events with. */
    readonly webhookSecret: string,
    /** Where API and workers reach the provider. */
    readonly providerUrl: string,
    private readonly moreEnv: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param options `env`: settings of API and workers, besides what connects them. `through` may put something between
   * our processes and the provider, and says where that is
   */
  static async start({
    workers = 1,
    env = {},
    through = async (providerUrl) => providerUrl,
  }: {
    workers?: number;
    env?: Record<string, string>;
    through?: (providerUrl: string) => Promise<string>;
  } = {}): Promise<TestStack> {
    const [database, provider, temporal, port] = await Promise.all([
      createDatabase(),
      TestProvider.start(),
      TestTemporal.connect(),
      claimPort(),
    ]);
    const webhookSecret = await provider.sendEventsTo(`http://127.0.0.1:${port}/v1/webhooks/stripe`);
    const providerUrl = await through(provider.url);
    const stack = new TestStack(database, provider, temporal, port, webhookSecret, providerUrl, env);
    await Promise.all([stack.startApi(), ...Array.from({ length: workers }, () => stack.startWorker())]);
    return stack;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }

  /** What a process of ours needs in its environment. */
  get env(): Record<string, string> {
    return {
      DATABASE_URL: this.database.url,
      TEMPORAL_ADDRESS: fromSetup('TEMPORAL_ADDRESS'),
      TEMPORAL_NAMESPACE: this.temporal.namespace,
      STRIPE_API_KEY: this.provider.key,
      STRIPE_API_BASE: this.providerUrl,
      // Nothing starts by itself in the middle of a test.
      COUNTERSIGN_RECONCILE_SCHEDULE: 'off',
      COUNTERSIGN_RETENTION_SCHEDULE: 'off',
      // Tests look much more often than callers do.
      COUNTERSIGN_CALLS_PER_MINUTE: '0',
      ...this.moreEnv,
    };
  }

  as(person: EmbeddedPerson, tenant: Tenant = 'acme'): ApiCaller {
    return apiCaller(this.apiUrl, testTokens[tenant][person]);
  }

  /** A payment of `captured` cents, and a refund of it that waits for people. `more`: other fields of its request. */
  async opened(
    amount = '120.00',
    captured = 100_000,
    more: Record<string, unknown> = {},
    tenant: Tenant = 'acme',
  ): Promise<{ charge: string; approval: ApprovalView }> {
    const charge = await this.provider.charge(captured);
    const approval = await this.as('service', tenant).openApproval({ paymentId: charge, amount, ...more });
    return { charge, approval };
  }

  /** `settings`: more of the environment than every API needs. */
  async startApi(settings: Record<string, string> = {}): Promise<TestProcess> {
    const env = {
      ...this.env,
      COUNTERSIGN_HTTP_PORT: String(this.apiPort),
      COUNTERSIGN_SIGNING_KEY: signingKey,
      COUNTERSIGN_HASH_KEY: hashKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      ...settings,
    };
    this.api = await startProcess(['api'], env, () => answers(`${this.apiUrl}/readyz`));
    return this.api;
  }

  async startWorker(settings: Record<string, string> = {}): Promise<TestProcess> {
    const ready = join(
      fromSetup('FOLDER'),
      `${this.temporal.namespace}-worker-${this.workers.length + 1}.ready`,
    );
    const worker = await startProcess(
      ['worker'],
      { ...this.env, COUNTERSIGN_HASH_KEY: hashKey, COUNTERSIGN_READY_FILE: ready, ...settings },
      fileExists(ready),
    );
    this.workers.push(worker);
    return worker;
  }

  async killWorkers(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill(signal)));
  }

  async stop(): Promise<void> {
    await Promise.allSettled([this.api.kill(), this.killWorkers('SIGTERM')]);
    await Promise.allSettled([this.provider.stop(), this.temporal.close()]);
    await this.database.drop();
  }
}

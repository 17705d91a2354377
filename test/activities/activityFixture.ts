import type { RefundToOpen } from '../../activities/openRefund';
import { refundWorkflowId } from '../../src/domain/contract';
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { noopMetricMeter } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { createActivities, type RefundActivities } from '../../activities';
import { CedarAuthorization } from '../../src/adapters/policy/cedar';
import { Database } from '../../src/adapters/postgres/database';
import { reasonToKeep } from '../../src/adapters/postgres/erasure/registry';
import { PostgresMemories } from '../../src/adapters/postgres/memories';
import { TemporalHistories } from '../../src/adapters/temporal/histories';
import { PostgresStore } from '../../src/adapters/postgres/store';
import { StripePayments } from '../../src/adapters/payments/stripe';
import { ChannelSignatures } from '../../src/adapters/signatures';
import type { DecisionEnvelope } from '../../src/domain/approval/decision';
import type { DecisionKind } from '../../src/domain/approval/message';
import { decisionContent } from '../../src/domain/approval/decision';
import type { ApprovalState } from '../../src/domain/approval/state';
import type { RefundInput } from '../../src/domain/refund/state';
import { parseSigningKey } from '../../src/main/signingKey';
import type { NewRun } from '../../src/ports/runs';
import type { Unit } from '../../src/ports/store';
import { createDatabase, query, type TestDatabase } from '../support/database';
import { TestProvider } from '../support/provider';
import { batchIntake } from '../../src/application/batches/intake';
import { noAgentRuns } from '../support/agentDesk';
import { fromSetup, signingKey } from '../support/shared';

type Name = keyof RefundActivities;
type Argument<N extends Name> = Parameters<RefundActivities[N]>[0];
type Result<N extends Name> = Awaited<ReturnType<RefundActivities[N]>>;

const hourMs = 3_600_000;
let made = 0;

/** The activities over a real database and the sandbox provider, called as a worker calls them. */
export class ActivityFixture {
  heartbeats = 0;
  readonly epoch = 'execution-1';

  private constructor(
    readonly database: TestDatabase,
    readonly provider: TestProvider,
    readonly store: PostgresStore,
    readonly signatures: ChannelSignatures,
    private readonly pool: Database,
    private readonly activities: RefundActivities,
  ) {}

  static async open({ providerKeyWindowMs = 23 * hourMs, databaseUrl = '' } = {}): Promise<ActivityFixture> {
    const [database, provider] = await Promise.all([createDatabase(), TestProvider.start()]);
    const pool = new Database(databaseUrl || database.url);
    const store = new PostgresStore(pool);
    const signatures = new ChannelSignatures(pool, await parseSigningKey(signingKey));
    const { key: apiKey, url: apiBase } = provider;
    const temporal = { address: fromSetup('TEMPORAL_ADDRESS'), namespace: 'default' };
    const activities = createActivities({
      store,
      payments: new StripePayments({ apiKey, apiBase, account: 'default' }),
      signatures,
      authorization: new CedarAuthorization(),
      memory: new PostgresMemories(pool, new CedarAuthorization()),
      histories: TemporalHistories.lazily(temporal),
      reasonToKeep,
      batches: batchIntake({ store, authorization: new CedarAuthorization() }),
      agent: noAgentRuns,
      providerKeyWindowMs,
    });
    return new ActivityFixture(database, provider, store, signatures, pool, activities);
  }

  /** One attempt of an activity, in a context of its own. */
  async run<N extends Name>(name: N, argument: Argument<N>): Promise<Result<N>> {
    const context = new Context(
      { activityType: name, attempt: 1 } as Info,
      new Promise<never>(() => undefined),
      new AbortController().signal,
      () => (this.heartbeats += 1),
      undefined,
      new DefaultLogger('ERROR'),
      noopMetricMeter,
      {},
    );
    const activity = this.activities[name] as (argument: Argument<N>) => Promise<Result<N>>;
    return asyncLocalStorage.run(context, () => activity(argument));
  }

  /**
   * The worker died after the commit and before Temporal heard of it: the activity is executed again. It must answer
   * the same and change nothing more.
   */
  async twice<N extends Name>(name: N, argument: Argument<N>): Promise<Result<N>> {
    const first = await this.run(name, argument);
    const rows = await this.everyRow();
    expect(await this.run(name, argument)).toEqual(first);
    expect(await this.everyRow()).toEqual(rows);
    return first;
  }

  /** Every row of every table, without what says only when a row was last looked at. */
  async everyRow(): Promise<Record<string, unknown[]>> {
    const tables = await query<{ name: string }>(
      this.database.adminUrl,
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const rows: Record<string, unknown[]> = Object.fromEntries(tables.map(({ name }) => [name, []]));
    const ofAll = tables.map(
      ({ name }) =>
        `(select '${name}' as name, to_jsonb(t) - 'updated_at' - 'read_at' - 'attempts' ${name === 'approvals' ? `- 'version'` : ''} as row
          from ${name} t order by t::text)`,
    );
    // One statement: a connection for each table costs more than everything that is tested.
    const found = await query<{ name: string; row: unknown }>(
      this.database.adminUrl,
      ofAll.join(' union all '),
    );
    for (const { name, row } of found) rows[name]?.push({ row });
    return rows;
  }

  in<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.store.inTenant('acme', work);
  }

  /** A request as the door takes it in while the provider is away: nothing is held yet. */
  async takenIn(minor: number, more: Partial<NewRun> & { charge?: string } = {}): Promise<RefundToOpen> {
    made += 1;
    const { charge, ...run } = more;
    const paymentId = charge ?? (await this.provider.charge(100_000));
    const runId = `run_${made}`;
    const request = { paymentId, amount: { minor, currency: 'USD' }, reason: 'damaged' } as const;
    await this.in(async (unit) => {
      await unit.runs.create({
        runId,
        idempotencyKey: runId,
        fingerprint: 'f',
        requester: 'service',
        paymentId,
        request,
        ...run,
      });
      await unit.outbox.owe({ runId, kind: 'start', ref: 'start' });
    });
    const { amount, reason } = request;
    const workflowId = refundWorkflowId('acme', runId);
    return {
      tenant: 'acme',
      runId,
      paymentId,
      arguments: { amount, reason },
      requester: 'service',
      workflowId,
    };
  }

  /** A run that holds its amount. */
  async opened(minor: number, more: Parameters<ActivityFixture['takenIn']>[1] = {}): Promise<RefundToOpen> {
    const input = await this.takenIn(minor, more);
    expect(await this.run('openRefund', input)).toMatchObject({ admitted: true });
    return input;
  }

  /** A run that waits for people. */
  async published(minor: number): Promise<{ input: RefundInput; approval: ApprovalState }> {
    const input = await this.opened(minor);
    const { tenant, runId, paymentId } = input;
    const policy = await this.run('evaluatePolicy', { tenant, runId, amount: input.arguments.amount });
    const publish = { input, paymentId, arguments: input.arguments, policy };
    const approval = await this.run('publishApproval', { ...publish, epoch: this.epoch, now: Date.now() });
    return { input, approval };
  }

  envelope(approval: ApprovalState, actor: string, decision: DecisionKind, more = {}): DecisionEnvelope {
    made += 1;
    const { tenant, runId, id: approvalId, proposalHash } = approval;
    const receivedAt = Date.now();
    return {
      tenant,
      runId,
      approvalId,
      proposalHash,
      decisionId: `d-${made}`,
      decision,
      actor,
      receivedAt,
      ...more,
    };
  }

  /** A decision as the API leaves it on record. @returns what the run is told */
  async recorded(envelope: DecisionEnvelope, comment?: string) {
    const { approvalId, decisionId, decision, proposalHash, runId } = envelope;
    await this.in(async (unit) => {
      await unit.decisions.record({ envelope, content: decisionContent(envelope), channel: 'api' }, comment);
      await unit.outbox.owe({ runId, kind: 'decision', ref: decisionId });
    });
    return { kind: 'recorded', approvalId, decisionId, decision, proposalHash } as const;
  }

  toApply({ runId, id: approvalId }: ApprovalState, message: Argument<'applyDecision'>['message']) {
    return { tenant: 'acme', runId, approvalId, epoch: this.epoch, message };
  }

  async events(runId: string): Promise<string[]> {
    return (await this.in((unit) => unit.audit.ofRun(runId))).map((row) => row.event);
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.provider.stop();
    await this.database.drop();
  }
}

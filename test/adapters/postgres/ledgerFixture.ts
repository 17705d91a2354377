import { sql } from 'kysely';
import { Database } from '../../../src/adapters/postgres/database';
import { PostgresStore } from '../../../src/adapters/postgres/store';
import type { Balance } from '../../../src/ports/ledger';
import type { ProviderPayment } from '../../../src/ports/payments';
import type { NewRun } from '../../../src/ports/runs';
import type { Unit } from '../../../src/ports/store';
import { createDatabase, query, type TestDatabase } from '../../support/database';

let made = 0;

/** The ledger on a database of its own, as the application's login. Amounts in US cents. */
export class LedgerFixture {
  private constructor(
    readonly database: TestDatabase,
    private readonly pool: Database,
    readonly store: PostgresStore,
  ) {}

  static async open(connections = 10): Promise<LedgerFixture> {
    const database = await createDatabase();
    const pool = new Database(database.url, connections);
    return new LedgerFixture(database, pool, new PostgresStore(pool));
  }

  in<T>(work: (unit: Unit) => Promise<T>, tenant = 'acme'): Promise<T> {
    return this.store.inTenant(tenant, work);
  }

  payment(captured: number, more: Partial<ProviderPayment> = {}): ProviderPayment {
    made += 1;
    return {
      account: 'default',
      paymentId: `ch_${made}`,
      currency: 'USD',
      captured,
      refundedElsewhere: 0,
      disputed: 0,
      paidAt: Date.now(),
      ...more,
    };
  }

  /** A payment that the tenant has claimed. @returns its id */
  async adopted(captured: number, more: Partial<ProviderPayment> = {}, tenant = 'acme'): Promise<string> {
    const { paymentId } = await this.in((u) => u.ledger.adopt(this.payment(captured, more)), tenant);
    return paymentId;
  }

  /** A run that holds nothing yet. @returns its id */
  async run(paymentId: string, minor: number, more: Partial<NewRun> = {}, tenant = 'acme'): Promise<string> {
    made += 1;
    const runId = `run_${made}`;
    const request = { paymentId, amount: { minor, currency: 'USD' }, reason: 'damaged' as const };
    await this.in(
      (unit) =>
        unit.runs.create({
          runId,
          idempotencyKey: runId,
          fingerprint: 'f',
          requester: 'service',
          paymentId,
          request,
          ...more,
        }),
      tenant,
    );
    return runId;
  }

  /** A run that holds its amount. @returns its id */
  async reserved(
    paymentId: string,
    minor: number,
    more: Partial<NewRun> = {},
    tenant = 'acme',
  ): Promise<string> {
    const runId = await this.run(paymentId, minor, more, tenant);
    await this.in((unit) => unit.ledger.reserve(runId, paymentId, minor), tenant);
    return runId;
  }

  async balance(paymentId: string): Promise<Balance> {
    const balance = await this.in((unit) => unit.ledger.find(paymentId));
    if (!balance) throw new Error(`nobody has claimed ${paymentId}`);
    return balance;
  }

  /** As the application's login, within tenant acme. */
  async asApp(statement: string): Promise<void> {
    await this.pool.inTenant('acme', (trx) => sql.raw(statement).execute(trx));
  }

  /** As the superuser, who sees everything. */
  rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return query<Row>(this.database.adminUrl, text, values);
  }

  async close(): Promise<void> {
    await this.pool.close();
    await this.database.drop();
  }
}

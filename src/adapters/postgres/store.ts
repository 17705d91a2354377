import { sql } from 'kysely';
import type { Delivery, Notification, Notifications, Outbox, Store, Unit } from '../../ports/store';
import { PostgresAgentRuns } from './agentRuns';
import { PostgresApiKeys } from './apiKeys';
import { PostgresApprovals } from './approvals';
import { PostgresAudit } from './audit';
import { PostgresBatches } from './batches';
import { PostgresBatchItems } from './batchItems';
import { PostgresBrakes } from './brakes';
import { PostgresChannelKeys } from './channelKeys';
import type { Database, Transaction } from './database';
import { PostgresDecisions } from './decisions';
import { PostgresDirectory } from './directory';
import { PostgresEffects } from './effects';
import { PostgresErasures } from './erasure/erasures';
import { PostgresLegalHolds } from './erasure/legalHolds';
import { PostgresPersonalData } from './erasure/personalData';
import { PostgresRetention } from './erasure/retention';
import { PostgresInbox } from './inbox';
import { PostgresKnowledge } from './knowledge';
import { PostgresLedger } from './ledger';
import { PostgresMemoryReviews } from './memoryReviews';
import { PostgresPaymentBooks } from './paymentBooks';
import { PostgresPeople } from './people';
import { PostgresPolicies } from './policies';
import { PostgresDifferences } from './differences';
import { PostgresRefundHistory } from './refundHistory';
import { PostgresReconciliations } from './reconciliations';
import { PostgresReviews } from './reviews';
import { PostgresRuns } from './runs';
import { PostgresSplits } from './splits';
import { PostgresThreads } from './threads';

export class PostgresStore implements Store {
  constructor(private readonly database: Database) {}

  async inTenant<T>(tenant: string, work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.database.inTenant(tenant, (trx) => work(unitOf(trx, tenant)));
  }

  async tenants(): Promise<string[]> {
    const rows = await this.database.unscoped((db) =>
      db.selectFrom('tenants').select('id').orderBy('id').execute(),
    );
    return rows.map(({ id }) => id);
  }

  async owed(olderThanMs: number, limit: number): Promise<Delivery[]> {
    const rows = await this.database.unscoped((db) =>
      db
        .selectFrom('outbox')
        .select(['tenant', 'run_id', 'kind', 'ref'])
        .where('created_at', '<=', sql<Date>`clock_timestamp() - ${olderThanMs} * interval '1 millisecond'`)
        .orderBy('id')
        .limit(limit)
        .execute(),
    );
    return rows.map((row) => ({ tenant: row.tenant, runId: row.run_id, kind: row.kind, ref: row.ref }));
  }
}

function unitOf(trx: Transaction, tenant: string): Unit {
  return {
    ledger: new PostgresLedger(trx, tenant),
    effects: new PostgresEffects(trx, tenant),
    runs: new PostgresRuns(trx, tenant),
    agentRuns: new PostgresAgentRuns(trx, tenant),
    history: new PostgresRefundHistory(trx),
    splits: new PostgresSplits(trx, tenant),
    batches: new PostgresBatches(trx, tenant),
    batchItems: new PostgresBatchItems(trx),
    threads: new PostgresThreads(trx, tenant),
    approvals: new PostgresApprovals(trx, tenant),
    inbox: new PostgresInbox(trx, tenant),
    decisions: new PostgresDecisions(trx, tenant),
    people: new PostgresPeople(trx),
    policies: new PostgresPolicies(trx, tenant),
    audit: new PostgresAudit(trx, tenant),
    notifications: new PostgresNotifications(trx, tenant),
    outbox: new PostgresOutbox(trx, tenant),
    brakes: new PostgresBrakes(trx, tenant),
    reviews: new PostgresReviews(trx, tenant),
    reconciliations: new PostgresReconciliations(trx, tenant),
    differences: new PostgresDifferences(trx, tenant),
    books: new PostgresPaymentBooks(trx, tenant),
    directory: new PostgresDirectory(trx, tenant),
    apiKeys: new PostgresApiKeys(trx, tenant),
    channelKeys: new PostgresChannelKeys(trx, tenant),
    knowledge: new PostgresKnowledge(trx, tenant),
    memoryReviews: new PostgresMemoryReviews(trx, tenant),
    erasures: new PostgresErasures(trx, tenant),
    holds: new PostgresLegalHolds(trx, tenant),
    retention: new PostgresRetention(trx, tenant),
    personal: new PostgresPersonalData(trx, tenant),
  };
}

class PostgresNotifications implements Notifications {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async tell(notification: Notification): Promise<boolean> {
    const told = await this.trx
      .insertInto('notifications')
      .values({
        key: notification.key,
        tenant: this.tenant,
        run_id: notification.runId,
        recipient: notification.recipient,
        template: notification.template,
        data: JSON.stringify(notification.data),
      })
      .onConflict((oc) => oc.column('key').doNothing())
      .returning('key')
      .executeTakeFirst();
    return told !== undefined;
  }

  async lastTold(runId: string, recipient: string | null): Promise<Notification['template'] | undefined> {
    const row = await this.trx
      .selectFrom('notifications')
      .select('template')
      .where('run_id', '=', runId)
      .where('recipient', 'is not distinct from', recipient)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.template as Notification['template'] | undefined;
  }
}

class PostgresOutbox implements Outbox {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async owe(delivery: Omit<Delivery, 'tenant'>): Promise<void> {
    await this.trx
      .insertInto('outbox')
      .values({ tenant: this.tenant, run_id: delivery.runId, kind: delivery.kind, ref: delivery.ref })
      .onConflict((oc) => oc.doNothing())
      .execute();
  }

  async done(delivery: Omit<Delivery, 'tenant'>): Promise<void> {
    await this.trx
      .deleteFrom('outbox')
      .where('run_id', '=', delivery.runId)
      .where('kind', '=', delivery.kind)
      .where('ref', '=', delivery.ref)
      .execute();
  }

  async owes(runId: string): Promise<boolean> {
    const row = await this.trx
      .selectFrom('outbox')
      .select('id')
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }
}

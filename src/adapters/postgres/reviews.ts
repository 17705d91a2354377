import { sql } from 'kysely';
import type { DecisionAnswer } from '../../domain/approval/message';
import type { ReviewOrder } from '../../domain/refund/review';
import type { ProviderEvents, Reviews, StoredOrder } from '../../ports/reviews';
import type { Database, Transaction } from './database';

/** The column holds the answer and the execution that gave it. */
type Answer = DecisionAnswer & { readonly epoch?: string };

function answerOf(stored: Answer | null): Pick<StoredOrder, 'answer' | 'epoch'> {
  if (!stored) return { answer: null, epoch: null };
  const { epoch = null, ...answer } = stored;
  return { answer, epoch };
}

function textOf(answer: DecisionAnswer, epoch: string | null): string {
  return JSON.stringify(epoch === null ? answer : { ...answer, epoch });
}

export class PostgresReviews implements Reviews {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async record(order: ReviewOrder, comment?: string): Promise<void> {
    await this.trx
      .insertInto('review_orders')
      .values({
        id: order.id,
        tenant: this.tenant,
        run_id: order.runId,
        action: order.action,
        refund_id: order.refundId ?? null,
        actor: order.actor,
        comment: comment ?? null,
        answer: null,
      })
      .execute();
  }

  async find(id: string): Promise<StoredOrder | undefined> {
    const row = await this.trx
      .selectFrom('review_orders')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return (
      row && {
        id,
        runId: row.run_id,
        action: row.action,
        actor: row.actor,
        ...(row.refund_id === null ? {} : { refundId: row.refund_id }),
        ...answerOf(row.answer as Answer | null),
      }
    );
  }

  async answer(id: string, answer: DecisionAnswer, epoch: string | null): Promise<void> {
    await this.trx
      .updateTable('review_orders')
      .set({ answer: textOf(answer, epoch) })
      .where('id', '=', id)
      .execute();
  }

  async answerOpen(runId: string, answer: DecisionAnswer, epoch: string): Promise<string[]> {
    const rows = await this.trx
      .updateTable('review_orders')
      .set({ answer: textOf(answer, epoch) })
      .where('run_id', '=', runId)
      .where('answer', 'is', null)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  async takeOver(runId: string, from: string, epoch: string): Promise<void> {
    await this.trx
      .updateTable('review_orders')
      .set({ answer: sql`jsonb_set(answer::jsonb, '{epoch}', to_jsonb(${epoch}::text))` })
      .where('run_id', '=', runId)
      .where(sql`answer::jsonb ->> 'epoch'`, '=', from)
      .execute();
  }
}

export class PostgresProviderEvents implements ProviderEvents {
  constructor(private readonly database: Database) {}

  async isHandled(account: string, eventId: string): Promise<boolean> {
    const row = await this.database.unscoped((db) =>
      db
        .selectFrom('provider_events')
        .select('event_id')
        .where('account', '=', account)
        .where('event_id', '=', eventId)
        .executeTakeFirst(),
    );
    return row !== undefined;
  }

  async recordHandled(account: string, eventId: string, type: string): Promise<void> {
    await this.database.unscoped((db) =>
      db
        .insertInto('provider_events')
        .values({ account, event_id: eventId, type })
        .onConflict((oc) => oc.doNothing())
        .execute(),
    );
  }

  async tenantOf(account: string, paymentId: string): Promise<string | undefined> {
    const { rows } = await this.database.unscoped((db) =>
      sql<{ tenant: string | null }>`select tenant_of_payment(${account}, ${paymentId}) as tenant`.execute(
        db,
      ),
    );
    return rows[0]?.tenant ?? undefined;
  }
}

import { createHash } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { FoundDifference } from '../../domain/reconciliation/difference';
import { pageOf } from '../../domain/page';
import type { Difference, DifferenceFilter, Differences, ListOf } from '../../ports/reconciliations';
import type { Transaction } from './database';
import type { Tables } from './tables';

export class PostgresDifferences implements Differences {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async replace(
    reconciliationId: string,
    paymentId: string,
    found: readonly FoundDifference[],
  ): Promise<void> {
    const ids: string[] = [];
    for (const difference of found) {
      const id = this.idOf(paymentId, difference);
      ids.push(id);
      await this.upsert(id, reconciliationId, paymentId, difference);
    }
    await this.trx
      .updateTable('reconciliation_differences')
      .set({ status: 'gone', resolved_at: sql<Date>`clock_timestamp()` })
      .where('tenant', '=', this.tenant)
      .where('payment_id', '=', paymentId)
      .where('status', '=', 'open')
      .$if(ids.length > 0, (q) => q.where('id', 'not in', ids))
      .execute();
  }

  private async upsert(
    id: string,
    reconciliationId: string,
    paymentId: string,
    { kind, refundId, runId, ours, theirs, explanation, adopted }: FoundDifference,
  ): Promise<void> {
    const status = adopted ? 'adopted' : 'open';
    await sql`
      insert into reconciliation_differences as d
        (id, tenant, kind, payment_id, refund_id, run_id, reconciliation_id, ours, theirs, explanation, status, resolved_at)
      values (${id}, ${this.tenant}, ${kind}, ${paymentId}, ${refundId ?? null}, ${runId ?? null}, ${reconciliationId},
        ${json(ours)}::jsonb, ${json(theirs)}::jsonb, ${explanation}, ${status},
        case when ${adopted} then clock_timestamp() end)
      on conflict (id) do update set
        reconciliation_id = excluded.reconciliation_id, last_seen = clock_timestamp(),
        ours = excluded.ours, theirs = excluded.theirs, explanation = excluded.explanation,
        status = case when ${stillDismissed} then d.status else excluded.status end,
        resolved_at = case when ${stillDismissed} then d.resolved_at else excluded.resolved_at end,
        dismissed_by = case when ${stillDismissed} then d.dismissed_by end,
        comment = case when ${stillDismissed} then d.comment end
    `.execute(this.trx);
  }

  async find(id: string): Promise<Difference | undefined> {
    const row = await this.trx
      .selectFrom('reconciliation_differences')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && differenceOf(row);
  }

  async list(filter: DifferenceFilter): Promise<ListOf<Difference>> {
    const rows = await differencesPage(this.trx, this.tenant, filter).execute();
    const { page, last } = pageOf(rows, filter.limit);
    return {
      items: page.map(differenceOf),
      nextCursor: last ? { at: last.seen_text, id: last.id } : null,
    };
  }

  async countOpen(reconciliationId: string): Promise<number> {
    const row = await this.trx
      .selectFrom('reconciliation_differences')
      .select((eb) => eb.fn.countAll<number>().as('open'))
      .where('tenant', '=', this.tenant)
      .where('status', '=', 'open')
      .where('reconciliation_id', '=', reconciliationId)
      .executeTakeFirstOrThrow();
    return Number(row.open);
  }

  async unseenPayments(
    reconciliationId: string,
    after: string | undefined,
    limit: number,
  ): Promise<{ paymentIds: string[]; next: string | null }> {
    const rows = await this.trx
      .selectFrom('reconciliation_differences')
      .select(['id', 'payment_id'])
      .where('tenant', '=', this.tenant)
      .where('status', '=', 'open')
      .where('reconciliation_id', '<>', reconciliationId)
      .$if(after !== undefined, (q) => q.where('id', '>', after ?? ''))
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    return { paymentIds: [...new Set(page.map((row) => row.payment_id))], next: last?.id ?? null };
  }

  async dismiss(id: string, actor: string, comment: string): Promise<boolean> {
    const dismissed = await this.trx
      .updateTable('reconciliation_differences')
      .set({ status: 'dismissed', dismissed_by: actor, comment, resolved_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where('status', '=', 'open')
      .executeTakeFirst();
    return dismissed.numUpdatedRows > 0n;
  }

  private idOf(paymentId: string, { kind, refundId, runId }: FoundDifference): string {
    const identity = JSON.stringify([this.tenant, kind, paymentId, refundId ?? null, runId ?? null]);
    return `dif_${createHash('sha256').update(identity).digest('hex').slice(0, 32)}`;
  }
}

/** A person has seen exactly this. */
const stillDismissed = sql<boolean>`(d.status = 'dismissed' and d.ours is not distinct from excluded.ours and d.theirs is not distinct from excluded.theirs)`;

const json = (figures: FoundDifference['ours']): string | null => figures && JSON.stringify(figures);

/** One row more than a page, to know whether there is another. */
export function differencesPage(
  trx: Transaction,
  tenant: string,
  { status, cursor, limit }: DifferenceFilter,
) {
  return trx
    .selectFrom('reconciliation_differences')
    .selectAll()
    .select(sql<string>`first_seen::text`.as('seen_text'))
    .where('tenant', '=', tenant)
    .$if(status !== undefined, (q) => q.where('status', '=', status ?? 'open'))
    .$if(cursor !== undefined, (q) =>
      q.where(sql<boolean>`(first_seen, id) > (${cursor?.at}::timestamptz, ${cursor?.id})`),
    )
    .orderBy('first_seen')
    .orderBy('id')
    .limit(limit + 1);
}

function differenceOf(row: Selectable<Tables['reconciliation_differences']>): Difference {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    paymentId: row.payment_id,
    refundId: row.refund_id,
    runId: row.run_id,
    reconciliationId: row.reconciliation_id,
    ours: row.ours,
    theirs: row.theirs,
    explanation: row.explanation,
    firstSeenAt: row.first_seen.getTime(),
    lastSeenAt: row.last_seen.getTime(),
    resolvedAt: row.resolved_at?.getTime() ?? null,
    dismissedBy: row.dismissed_by,
    comment: row.comment,
  };
}

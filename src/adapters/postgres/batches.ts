import { sql, type Selectable } from 'kysely';
import { itemOutcomes, type BatchCounts, type BatchState, type ItemOutcome } from '../../domain/batch/batch';
import type { ManifestSummary } from '../../domain/batch/manifest';
import { pageOf } from '../../domain/page';
import type { RefundReason } from '../../domain/refund/request';
import type {
  Batch,
  BatchChange,
  Batches,
  BatchFilter,
  BatchItem,
  NewBatch,
  NewItem,
} from '../../ports/batches';
import type { Transaction } from './database';
import { takeKey } from './runs';
import type { Tables } from './tables';

/** Rows of one statement, since PostgreSQL takes 65,535 parameters. */
const rowsAtOnce = 2_000;

/** What a row has come to: of a refund, where its run is. */
const outcome = sql<ItemOutcome>`case
  when i.state in ('unchecked', 'ready', 'admitted') then 'waiting'
  when i.state = 'done' then i.code
  when i.state = 'left_out' then 'left_out'
  when r.phase in ('validating', 'executing', 'settling') then 'running'
  else r.phase end`;

export class PostgresBatches implements Batches {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create(batch: NewBatch): Promise<boolean> {
    const { batchId, asked, items, leftOut } = batch;
    if (!(await takeKey(this.trx, this.tenant, { ...batch, runId: batchId }))) return false;
    const leftOutRows = [...new Map(leftOut.map((issue) => [issue.row, issue])).values()];
    await this.trx
      .insertInto('batches')
      .values({
        batch_id: batchId,
        tenant: this.tenant,
        kind: batch.kind,
        requester: batch.requester,
        on_behalf_of: batch.onBehalfOf,
        approval: batch.approval,
        dry_run: batch.dryRun,
        rows: items.length + leftOutRows.length,
        amount: asked?.amount.minor ?? null,
        currency: asked?.amount.currency ?? null,
        reason: asked?.reason ?? null,
        paused_by: null,
        cancelled_by: null,
        manifest_hash: null,
        summary: null,
      })
      .execute();
    const rows = [
      ...items.map((item) => ({ ...this.rowOf(item), batch_id: batchId })),
      ...leftOutRows.map(({ row, code, field, detail }) => ({
        ...{ batch_id: batchId, tenant: this.tenant, row, state: 'left_out' as const },
        ...{ code, detail: field === null ? detail : `${field}: ${detail}` },
      })),
    ];
    for (let from = 0; from < rows.length; from += rowsAtOnce)
      await this.insert(JSON.stringify(rows.slice(from, from + rowsAtOnce)));
    return true;
  }

  async find(batchId: string): Promise<Batch | undefined> {
    const row = await this.one(batchId).executeTakeFirst();
    return row && batchOf(row);
  }

  async lock(batchId: string): Promise<Batch | undefined> {
    const row = await this.one(batchId).forUpdate().executeTakeFirst();
    return row && batchOf(row);
  }

  async share(batchId: string): Promise<Batch | undefined> {
    const row = await this.one(batchId).forShare().executeTakeFirst();
    return row && batchOf(row);
  }

  async list({
    cursor,
    limit,
  }: BatchFilter): Promise<{ items: Batch[]; nextCursor: BatchFilter['cursor'] | null }> {
    const rows = await this.trx
      .selectFrom('batches')
      .selectAll()
      // The cursor keeps PostgreSQL's microseconds, which a JavaScript date would cut.
      .select(sql<string>`created_at::text`.as('created_text'))
      .where('tenant', '=', this.tenant)
      .$if(cursor !== undefined, (q) =>
        q.where(
          sql<boolean>`(created_at, batch_id) < (${cursor?.createdAt}::timestamptz, ${cursor?.batchId})`,
        ),
      )
      .orderBy('created_at', 'desc')
      .orderBy('batch_id', 'desc')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    return {
      items: page.map(batchOf),
      nextCursor: last ? { createdAt: last.created_text, batchId: last.batch_id } : null,
    };
  }

  async change(batchId: string, change: BatchChange, version?: number): Promise<boolean> {
    const { state, paused, cancelledBy, manifestHash, summary, ended } = change;
    const changed = await this.trx
      .updateTable('batches')
      .set({
        state: state ?? sql<BatchState>`state`,
        version: sql<number>`version + 1`,
        ...(paused === undefined
          ? {}
          : { paused_by: paused?.by ?? null, paused_at: paused ? sql<Date>`clock_timestamp()` : null }),
        ...(cancelledBy === undefined ? {} : { cancelled_by: cancelledBy }),
        ...(manifestHash === undefined ? {} : { manifest_hash: manifestHash }),
        ...(summary === undefined ? {} : { summary: JSON.stringify(summary) }),
        ...(ended === undefined ? {} : { ended_at: sql<Date>`clock_timestamp()` }),
      })
      .where('batch_id', '=', batchId)
      .$if(version !== undefined, (q) => q.where('version', '=', version ?? 0))
      .returning('version')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async counts(batchId: string): Promise<BatchCounts> {
    const { rows } = await sql<{ outcome: ItemOutcome; n: number }>`
      select ${outcome} as outcome, count(*) as n
      from batch_items i left join runs r on r.run_id = i.run_id where i.batch_id = ${batchId} group by 1
    `.execute(this.trx);
    const counted = new Map(rows.map(({ outcome: of, n }) => [of, n]));
    return Object.fromEntries(itemOutcomes.map((of) => [of, counted.get(of) ?? 0])) as Record<
      ItemOutcome,
      number
    >;
  }

  async items(batchId: string, after: number, limit: number, of?: ItemOutcome): Promise<BatchItem[]> {
    const { rows } = await sql<ItemRow>`
      select i.row, i.name, i.payment_id, i.amount, i.currency, ${outcome} as outcome,
        case when i.state in ('started', 'admitted') then i.run_id end as run_id,
        r.result ->> 'refundId' as refund_id, coalesce(i.code, r.result ->> 'code') as code,
        coalesce(i.detail, r.result ->> 'detail') as detail
      from batch_items i left join runs r on r.run_id = i.run_id
      where i.batch_id = ${batchId} and i.row > ${after} ${of === undefined ? sql`` : sql`and ${outcome} = ${of}`}
      order by i.row limit ${limit}
    `.execute(this.trx);
    return rows.map((row) => ({
      row: row.row,
      name: row.name,
      paymentId: row.payment_id,
      amount: row.amount === null ? null : { minor: row.amount, currency: row.currency ?? '' },
      outcome: row.outcome,
      runId: row.run_id,
      refundId: row.refund_id,
      code: row.code,
      detail: row.detail,
    }));
  }

  private one(batchId: string) {
    return this.trx.selectFrom('batches').selectAll().where('batch_id', '=', batchId);
  }

  private rowOf(item: NewItem) {
    const kept = { tenant: this.tenant, row: item.row, name: item.name };
    if ('document' in item) return { ...kept, state: 'ready' as const, content: item.document };
    const { request } = item.refund;
    return {
      ...kept,
      state: 'unchecked' as const,
      run_id: item.runId,
      payment_id: request.paymentId,
      amount: request.amount.minor,
      currency: request.amount.currency,
      fingerprint: item.fingerprint,
      content: item.refund,
    };
  }

  private async insert(rows: string): Promise<void> {
    await sql`
      insert into batch_items (batch_id, row, tenant, state, name, run_id, payment_id, amount, currency, fingerprint,
        content, code, detail)
      select batch_id, row, tenant, state, name, run_id, payment_id, amount, currency, fingerprint, content, code, detail
      from jsonb_populate_recordset(null::batch_items, ${rows}::jsonb)
    `.execute(this.trx);
  }
}

interface ItemRow {
  row: number;
  name: string | null;
  payment_id: string | null;
  amount: number | null;
  currency: string | null;
  outcome: ItemOutcome;
  run_id: string | null;
  refund_id: string | null;
  code: string | null;
  detail: string | null;
}

function batchOf(row: Selectable<Tables['batches']>): Batch {
  const { amount, currency, reason } = row;
  return {
    batchId: row.batch_id,
    tenant: row.tenant,
    kind: row.kind,
    requester: row.requester,
    onBehalfOf: row.on_behalf_of,
    approval: row.approval,
    dryRun: row.dry_run,
    state: row.state,
    rows: row.rows,
    asked:
      amount === null || currency === null
        ? null
        : { amount: { minor: amount, currency }, reason: reason as RefundReason },
    paused:
      row.paused_by === null || row.paused_at === null
        ? null
        : { by: row.paused_by, at: row.paused_at.getTime() },
    cancelledBy: row.cancelled_by,
    manifestHash: row.manifest_hash,
    summary: row.summary as ManifestSummary | null,
    version: row.version,
    createdAt: row.created_at.getTime(),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

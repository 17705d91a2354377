import { sql, type RawBuilder } from 'kysely';
import type { ItemState } from '../../domain/batch/batch';
import type { ManifestRow } from '../../domain/batch/manifest';
import type { ErrorCode } from '../../domain/errors';
import type { DocumentBody } from '../../domain/knowledge/document';
import type { RefundReason } from '../../domain/refund/request';
import type {
  BatchItems,
  FrozenRow,
  RefundItem,
  StoredDocumentItem,
  StoredRefundItem,
} from '../../ports/batches';
import type { Transaction } from './database';

export class PostgresBatchItems implements BatchItems {
  constructor(private readonly trx: Transaction) {}

  async take(batchId: string, state: ItemState, limit: number): Promise<StoredRefundItem[]> {
    const rows = await this.next(batchId, state, limit);
    return rows.map((row) => ({
      row: row.row,
      runId: row.run_id ?? '',
      fingerprint: row.fingerprint ?? '',
      paymentId: row.payment_id ?? '',
      refund: row.content as RefundItem,
    }));
  }

  async takeDocuments(batchId: string, limit: number): Promise<StoredDocumentItem[]> {
    const rows = await this.next(batchId, 'ready', limit);
    return rows.map(({ row, content }) => ({ row, document: content as DocumentBody }));
  }

  async readyOf(batchId: string, paymentId: string): Promise<number> {
    const { rows } = await sql<{ sum: number }>`
      select coalesce(sum(amount), 0)::bigint as sum from batch_items
      where batch_id = ${batchId} and payment_id = ${paymentId} and state in ('ready', 'admitted')
    `.execute(this.trx);
    return rows[0]?.sum ?? 0;
  }

  async ready(batchId: string, row: number, paymentId: string): Promise<void> {
    await this.set(batchId, sql`row = ${row}`, sql`state = 'ready', payment_id = ${paymentId}`);
  }

  async admitted(batchId: string, row: number, runId: string, started: boolean): Promise<void> {
    const to = started ? sql`state = 'started', content = null` : sql`state = 'admitted'`;
    await this.set(batchId, sql`row = ${row}`, sql`${to}, run_id = ${runId}`);
  }

  async started(batchId: string, runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    const which = sql`run_id = any (${[...runIds]}) and state = 'admitted'`;
    await this.set(batchId, which, sql`state = 'started', content = null`);
  }

  async done(batchId: string, row: number, code: 'ingested' | 'unchanged'): Promise<void> {
    await this.set(batchId, sql`row = ${row}`, sql`state = 'done', content = null, code = ${code}`);
  }

  async leaveOut(batchId: string, row: number, code: ErrorCode, detail: string): Promise<void> {
    await this.set(batchId, sql`row = ${row}`, leftOut(code, detail));
  }

  async leaveOutRest(batchId: string, code: ErrorCode, detail: string): Promise<void> {
    await this.set(batchId, sql`state in ('unchecked', 'ready')`, leftOut(code, detail));
  }

  async count(batchId: string, state: ItemState): Promise<number> {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from batch_items where batch_id = ${batchId} and state = ${state}
    `.execute(this.trx);
    return rows[0]?.n ?? 0;
  }

  async moving(batchId: string): Promise<number> {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from runs
      where batch_id = ${batchId} and phase in ('validating', 'executing', 'settling')
    `.execute(this.trx);
    return rows[0]?.n ?? 0;
  }

  async manifest(batchId: string): Promise<ManifestRow[]> {
    const { rows } = await sql<Row & { customer: string | null }>`
      select i.*, coalesce(p.customer, i.content #>> '{request,customerId}') as customer
      from batch_items i left join payments p on p.payment_id = i.payment_id
      where i.batch_id = ${batchId} and i.state = 'ready' order by i.row
    `.execute(this.trx);
    return rows.map((row) => ({
      row: row.row,
      runId: row.run_id ?? '',
      paymentId: row.payment_id ?? '',
      amount: { minor: row.amount ?? 0, currency: row.currency ?? '' },
      reason: reasonOf(row),
      fingerprint: row.fingerprint ?? '',
      customer: row.customer,
    }));
  }

  async ofRun(runId: string): Promise<FrozenRow | undefined> {
    const { rows } = await sql<Row>`
      select i.* from batch_items i join runs r on r.run_id = i.run_id and r.batch_id = i.batch_id
      where i.run_id = ${runId}
    `.execute(this.trx);
    const [row] = rows;
    return (
      row && {
        batchId: row.batch_id,
        amount: { minor: row.amount ?? 0, currency: row.currency ?? '' },
        fingerprint: row.fingerprint ?? '',
        paymentId: row.payment_id ?? '',
      }
    );
  }

  async waitingRuns(batchId: string, limit: number): Promise<string[]> {
    const { rows } = await sql<{ run_id: string }>`
      select run_id from runs where batch_id = ${batchId} and phase = 'waiting_approval' order by run_id limit ${limit}
    `.execute(this.trx);
    return rows.map((row) => row.run_id);
  }

  private async next(batchId: string, state: ItemState, limit: number): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select * from batch_items where batch_id = ${batchId} and state = ${state}
      order by row limit ${limit} for update skip locked
    `.execute(this.trx);
    return rows;
  }

  private async set(batchId: string, which: RawBuilder<unknown>, to: RawBuilder<unknown>): Promise<void> {
    await sql`
      update batch_items set ${to}, updated_at = clock_timestamp() where batch_id = ${batchId} and ${which}
    `.execute(this.trx);
  }
}

interface Row {
  batch_id: string;
  row: number;
  run_id: string | null;
  payment_id: string | null;
  amount: number | null;
  currency: string | null;
  fingerprint: string | null;
  content: unknown;
}

function leftOut(code: ErrorCode, detail: string): RawBuilder<unknown> {
  return sql`state = 'left_out', content = null, code = ${code}, detail = ${detail}`;
}

function reasonOf({ content }: Row): RefundReason {
  return (content as RefundItem).request.reason;
}

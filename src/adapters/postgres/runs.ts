import { sql, type Expression, type ExpressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { finalPhases, phases, type Phase } from '../../domain/contract';
import type { Review } from '../../domain/refund/review';
import type { RefundRequest } from '../../domain/refund/request';
import type { RefundArguments, RefundResult } from '../../domain/refund/state';
import { pageOf } from '../../domain/page';
import type { NewRun, Run, RunChange, RunCounts, RunFilter, Runs } from '../../ports/runs';
import type { Transaction } from './database';
import { lineOf, linesOfRun, type LineRow } from './refundLines';
import type { Tables } from './tables';

const countedTo = 1_000;

export class PostgresRuns implements Runs {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create(run: NewRun): Promise<boolean> {
    if (!(await takeKey(this.trx, this.tenant, run))) return false;
    await this.trx
      .insertInto('runs')
      .values({
        run_id: run.runId,
        tenant: this.tenant,
        phase: 'validating',
        requester: run.requester,
        on_behalf_of: run.request.onBehalfOf ?? null,
        payment_id: run.paymentId,
        currency: run.request.amount.currency,
        amount: run.request.amount.minor,
        customer: run.customer ?? run.request.customerId ?? null,
        request: JSON.stringify(run.request),
        note: run.note ?? null,
        approved: null,
        executed: null,
        result: null,
        review: null,
        reopened_by: null,
        split_id: run.splitId ?? null,
        batch_id: run.batchId ?? null,
      })
      .execute();
    return true;
  }

  async byIdempotencyKey(key: string): Promise<{ runId: string; fingerprint: string } | undefined> {
    const row = await this.trx
      .selectFrom('refund_requests')
      .select(['run_id', 'fingerprint'])
      .where('tenant', '=', this.tenant)
      .where('idempotency_key', '=', key)
      .executeTakeFirst();
    return row && { runId: row.run_id, fingerprint: row.fingerprint };
  }

  async find(runId: string): Promise<Run | undefined> {
    const row = await this.selected().where('run_id', '=', runId).executeTakeFirst();
    return row && runOf(row);
  }

  async lock(runId: string): Promise<Run | undefined> {
    const row = await this.selected().where('run_id', '=', runId).forUpdate().executeTakeFirst();
    return row && runOf(row);
  }

  async list(filter: RunFilter): Promise<{ items: Run[]; nextCursor: RunFilter['cursor'] | null }> {
    const { cursor } = filter;
    const rows = await this.selected()
      // The cursor keeps PostgreSQL's microseconds, which a JavaScript date would cut.
      .select(sql<string>`created_at::text`.as('created_text'))
      .where('tenant', '=', this.tenant)
      .where((eb) => eb.and(conditions(eb, filter)))
      .$if(cursor !== undefined, (q) =>
        q.where(sql<boolean>`(created_at, run_id) < (${cursor?.createdAt}::timestamptz, ${cursor?.runId})`),
      )
      .orderBy('created_at', 'desc')
      .orderBy('run_id', 'desc')
      .limit(filter.limit + 1)
      .execute();
    const { page, last } = pageOf(rows, filter.limit);
    return {
      items: page.map(runOf),
      nextCursor: last ? { createdAt: last.created_text, runId: last.run_id } : null,
    };
  }

  async counts(): Promise<RunCounts> {
    const { rows } = await sql<{ phase: Phase; n: number }>`
      select p.phase, (select count(*) from (select from runs where tenant = ${this.tenant} and phase = p.phase
        limit ${countedTo}) r) as n
      from unnest(${[...phases]}::text[]) p (phase)
    `.execute(this.trx);
    const byPhase = Object.fromEntries(rows.map(({ phase, n }) => [phase, n])) as Record<Phase, number>;
    return { countedTo, byPhase };
  }

  async unfinishedOf(paymentId: string): Promise<Run[]> {
    const rows = await this.selected()
      .where('payment_id', '=', paymentId)
      .where('phase', 'not in', [...finalPhases])
      .orderBy('created_at')
      .execute();
    return rows.map(runOf);
  }

  async ofSplit(splitId: string): Promise<Run[]> {
    const rows = await this.selected().where('split_id', '=', splitId).execute();
    return rows.map(runOf);
  }

  async ofThread(threadId: string, limit: number): Promise<Run[]> {
    const rows = await this.selected()
      .where('tenant', '=', this.tenant)
      // As the index has it: ids of ours alone.
      .where(sql<boolean>`request ->> 'threadId' = ${threadId} and request ->> 'threadId' like 'thr\\_%'`)
      .orderBy('created_at', 'desc')
      .orderBy('run_id')
      .limit(limit)
      .execute();
    return rows.map(runOf).reverse();
  }

  async change(runId: string, change: RunChange): Promise<void> {
    const { phase, amount, paymentId, customer, automatic, approved, executed, result, review, reopenedBy } =
      change;
    await this.trx
      .updateTable('runs')
      .set({
        updated_at: sql`clock_timestamp()`,
        ...(phase === undefined ? {} : { phase }),
        ...(amount === undefined ? {} : { amount }),
        ...(paymentId === undefined ? {} : { payment_id: paymentId }),
        ...(customer === undefined ? {} : { customer }),
        ...(automatic === undefined ? {} : { automatic }),
        ...(approved === undefined ? {} : { approved: JSON.stringify(approved) }),
        ...(executed === undefined ? {} : { executed: JSON.stringify(executed) }),
        ...(result === undefined ? {} : { result: JSON.stringify(result) }),
        ...(review === undefined ? {} : { review: JSON.stringify(review) }),
        ...(reopenedBy === undefined ? {} : { reopened_by: reopenedBy }),
      })
      .where('run_id', '=', runId)
      .execute();
  }

  private selected() {
    return this.trx.selectFrom('runs').selectAll().select(linesOfRun.as('lines'));
  }
}

function conditions(eb: ExpressionBuilder<Tables, 'runs'>, filter: RunFilter): Expression<SqlBool>[] {
  const { phase, customer, paymentId, requester, from, to, currency, amountFrom, amountTo } = filter;
  return [
    ...(phase === undefined ? [] : [eb('phase', '=', phase)]),
    ...(customer === undefined ? [] : [eb('customer', '=', customer)]),
    ...(paymentId === undefined ? [] : [eb('payment_id', '=', paymentId)]),
    ...(requester === undefined ? [] : [eb('requester', '=', requester)]),
    ...(from === undefined ? [] : [eb('created_at', '>=', new Date(from))]),
    ...(to === undefined ? [] : [eb('created_at', '<', new Date(to))]),
    ...(currency === undefined ? [] : [eb('currency', '=', currency)]),
    ...(amountFrom === undefined ? [] : [eb('amount', '>=', amountFrom)]),
    ...(amountTo === undefined ? [] : [eb('amount', '<=', amountTo)]),
  ];
}

/** One row per caller key, kept for good (R3). @returns false when it is taken already */
export async function takeKey(
  trx: Transaction,
  tenant: string,
  {
    idempotencyKey,
    fingerprint,
    runId,
  }: { readonly idempotencyKey: string; readonly fingerprint: string; readonly runId: string },
): Promise<boolean> {
  const taken = await trx
    .insertInto('refund_requests')
    .values({ tenant, idempotency_key: idempotencyKey, fingerprint, run_id: runId })
    .onConflict((oc) => oc.columns(['tenant', 'idempotency_key']).doNothing())
    .returning('run_id')
    .executeTakeFirst();
  return taken !== undefined;
}

function runOf(row: Selectable<Tables['runs']> & { readonly lines: LineRow[] }): Run {
  return {
    runId: row.run_id,
    tenant: row.tenant,
    phase: row.phase as Phase,
    requester: row.requester,
    onBehalfOf: row.on_behalf_of,
    paymentId: row.payment_id,
    amount: { minor: row.amount, currency: row.currency },
    money: row.money,
    customer: row.customer,
    request: row.request as RefundRequest,
    note: row.note,
    approved: row.approved as RefundArguments | null,
    executed: row.executed as RefundArguments | null,
    result: row.result as RefundResult | null,
    lines: row.lines.map((line) => lineOf(line, row.currency)),
    splitId: row.split_id,
    batchId: row.batch_id,
    review: row.phase === 'needs_review' ? (row.review as Review | null) : null,
    reopenedBy: row.reopened_by,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}

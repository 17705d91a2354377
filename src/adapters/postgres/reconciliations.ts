import { sql, type Selectable } from 'kysely';
import type { ErrorCode } from '../../domain/errors';
import type { MovementCursor, Progress } from '../../domain/reconciliation/difference';
import { pageOf } from '../../domain/page';
import type { ListOf, PageFilter, Reconciliation, Reconciliations } from '../../ports/reconciliations';
import type { Transaction } from './database';
import type { Tables } from './tables';

export class PostgresReconciliations implements Reconciliations {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async create({
    id,
    requestedBy,
    from,
    to,
  }: Pick<Reconciliation, 'id' | 'requestedBy' | 'from' | 'to'>): Promise<void> {
    await this.trx
      .insertInto('reconciliations')
      .values({
        id,
        tenant: this.tenant,
        requested_by: requestedBy,
        window_from: new Date(from),
        window_to: new Date(to),
        error_code: null,
        finished_at: null,
      })
      .onConflict((oc) => oc.column('id').doNothing())
      .execute();
  }

  async find(id: string): Promise<Reconciliation | undefined> {
    const row = await this.trx
      .selectFrom('reconciliations')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && reconciliationOf(row);
  }

  async list(filter: PageFilter): Promise<ListOf<Reconciliation>> {
    const rows = await reconciliationsPage(this.trx, this.tenant, filter).execute();
    const { page, last } = pageOf(rows, filter.limit);
    return {
      items: page.map(reconciliationOf),
      nextCursor: last ? { at: last.started_text, id: last.id } : null,
    };
  }

  async begin(id: string): Promise<void> {
    await this.trx
      .updateTable('reconciliations')
      .set({ state: 'running' })
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute();
  }

  async advance(id: string, from: Progress, to: Progress, inFlight: readonly string[]): Promise<Progress> {
    await this.trx
      .updateTable('reconciliations')
      .set((eb) => ({
        progress: JSON.stringify(to),
        pages: eb('pages', '+', 1),
        in_flight: sql<string[]>`array(select distinct unnest(in_flight || ${[...inFlight]}::text[]))`,
      }))
      .where('id', '=', id)
      .where(sql<boolean>`progress = ${JSON.stringify(from)}::jsonb`)
      .execute();
    const row = await this.trx
      .selectFrom('reconciliations')
      .select('progress')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    return row.progress;
  }

  async countPayment(id: string, paymentId: string, differences: number): Promise<boolean> {
    const marked = await this.trx
      .updateTable('payments')
      .set({ reconciled_by: id })
      .where('payment_id', '=', paymentId)
      .where(sql<boolean>`reconciled_by is distinct from ${id}`)
      .executeTakeFirst();
    if (marked.numUpdatedRows === 0n) return false;
    await this.trx
      .updateTable('reconciliations')
      .set((eb) => ({
        compared: eb('compared', '+', 1),
        differences: eb('differences', '+', differences),
        in_flight: sql<string[]>`array_remove(in_flight, ${paymentId})`,
      }))
      .where('id', '=', id)
      .execute();
    return true;
  }

  async finish(id: string, state: 'finished' | 'failed', code?: ErrorCode): Promise<void> {
    await this.trx
      .updateTable('reconciliations')
      .set({ state, error_code: code ?? null, finished_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .where('finished_at', 'is', null)
      .execute();
  }

  async comparedOf(id: string, paymentIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (paymentIds.length === 0) return new Set();
    const rows = await this.trx
      .selectFrom('payments')
      .select('payment_id')
      .where('payment_id', 'in', [...paymentIds])
      .where('reconciled_by', '=', id)
      .execute();
    return new Set(rows.map((row) => row.payment_id));
  }

  async movedPayments(page: {
    from: number;
    to: number;
    after?: MovementCursor;
    limit: number;
  }): Promise<{ paymentIds: string[]; next: MovementCursor | null }> {
    const rows = await movementsPage(this.trx, this.tenant, page).execute();
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      paymentIds: [...new Set(shown.map((row) => row.payment_id))],
      next:
        rows.length > page.limit && last
          ? { at: last.at_text, paymentId: last.payment_id, seq: last.seq }
          : null,
    };
  }
}

/** One row more than a page, to know whether there is another. */
export function reconciliationsPage(trx: Transaction, tenant: string, { cursor, limit }: PageFilter) {
  return trx
    .selectFrom('reconciliations')
    .selectAll()
    .select(sql<string>`started_at::text`.as('started_text'))
    .where('tenant', '=', tenant)
    .$if(cursor !== undefined, (q) =>
      q.where(sql<boolean>`(started_at, id) < (${cursor?.at}::timestamptz, ${cursor?.id})`),
    )
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
}

/** As above, of the ledger's entries. */
export function movementsPage(
  trx: Transaction,
  tenant: string,
  { from, to, after, limit }: Parameters<Reconciliations['movedPayments']>[0],
) {
  return trx
    .selectFrom('ledger_entries')
    .select(['payment_id', 'seq', sql<string>`at::text`.as('at_text')])
    .where('tenant', '=', tenant)
    .where('at', '>=', new Date(from))
    .where('at', '<=', new Date(to))
    .$if(after !== undefined, (q) =>
      q.where(
        sql<boolean>`(at, payment_id, seq) > (${after?.at}::timestamptz, ${after?.paymentId}, ${after?.seq})`,
      ),
    )
    .orderBy('at')
    .orderBy('payment_id')
    .orderBy('seq')
    .limit(limit + 1);
}

function reconciliationOf(row: Selectable<Tables['reconciliations']>): Reconciliation {
  return {
    id: row.id,
    state: row.state,
    requestedBy: row.requested_by,
    from: row.window_from.getTime(),
    to: row.window_to.getTime(),
    progress: row.progress,
    pages: row.pages,
    compared: row.compared,
    inFlight: row.in_flight.length,
    differences: row.differences,
    errorCode: row.error_code as ErrorCode | null,
    startedAt: row.started_at.getTime(),
    finishedAt: row.finished_at?.getTime() ?? null,
  };
}

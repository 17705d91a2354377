import { sql, type Selectable } from 'kysely';
import type { ErasureReport, WaitingFor } from '../../../domain/erasure/erasure';
import { addCounts, type RowCounts } from '../../../domain/retention/retention';
import type { Erasure, Erasures } from '../../../ports/erasures';
import type { Transaction } from '../database';
import type { Tables } from '../tables';

const nothingYet: ErasureReport = { erased: {}, histories: 0, looked: {}, kept: {} };

export class PostgresErasures implements Erasures {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async request(erasure: Parameters<Erasures['request']>[0]): Promise<boolean> {
    const { id, subject, own, requestedBy } = erasure;
    const made = await this.trx
      .insertInto('erasures')
      .values({
        id,
        tenant: this.tenant,
        subject,
        own,
        state: own ? 'erasing' : 'unconfirmed',
        requested_by: requestedBy,
        confirmed_by: own ? requestedBy : null,
        report: null,
      })
      .onConflict((oc) => oc.columns(['tenant', 'subject']).where('subject', 'is not', null).doNothing())
      .returning('id')
      .executeTakeFirst();
    return made !== undefined;
  }

  async find(id: string): Promise<Erasure | undefined> {
    const row = await this.selected().where('id', '=', id).executeTakeFirst();
    return row && erasureOf(row);
  }

  async openOf(subject: string): Promise<Erasure | undefined> {
    const row = await this.selected().where('subject', '=', subject).executeTakeFirst();
    return row && erasureOf(row);
  }

  async list(limit: number): Promise<Erasure[]> {
    const newest = this.selected().orderBy('requested_at', 'desc').orderBy('id', 'desc').limit(limit);
    return (await newest.execute()).map(erasureOf);
  }

  async confirm(id: string, by: string): Promise<void> {
    const confirmed = this.trx.updateTable('erasures').set({ state: 'erasing', confirmed_by: by });
    await confirmed.where('id', '=', id).where('state', '=', 'unconfirmed').execute();
  }

  async cancel(id: string): Promise<void> {
    const cancelled = this.trx.updateTable('erasures').set({ state: 'cancelled', subject: null });
    await cancelled.where('id', '=', id).where('state', '=', 'unconfirmed').execute();
  }

  async count(id: string, erased: RowCounts, histories: number): Promise<void> {
    const before = await this.reportOf(id);
    await this.report(id, {
      ...before,
      erased: addCounts(before.erased, erased),
      histories: before.histories + histories,
    });
  }

  async wait(
    id: string,
    waitingFor: readonly WaitingFor[],
    found: Pick<ErasureReport, 'looked' | 'kept'>,
  ): Promise<void> {
    await this.report(id, { ...(await this.reportOf(id)), ...found });
    const waiting = this.trx.updateTable('erasures').set({ waiting_for: JSON.stringify(waitingFor) });
    await waiting.where('id', '=', id).execute();
  }

  async finish(id: string, found: Pick<ErasureReport, 'looked' | 'kept'>): Promise<void> {
    await this.trx
      .updateTable('erasures')
      .set({
        state: 'finished',
        subject: null,
        waiting_for: '[]',
        report: JSON.stringify({ ...(await this.reportOf(id)), ...found }),
        finished_at: sql<Date>`clock_timestamp()`,
      })
      .where('id', '=', id)
      .execute();
  }

  private async reportOf(id: string): Promise<ErasureReport> {
    const row = await this.selected().where('id', '=', id).forUpdate().executeTakeFirst();
    return row?.report ?? nothingYet;
  }

  private async report(id: string, report: ErasureReport): Promise<void> {
    const written = this.trx.updateTable('erasures').set({ report: JSON.stringify(report) });
    await written.where('id', '=', id).execute();
  }

  private selected() {
    return this.trx.selectFrom('erasures').selectAll().where('tenant', '=', this.tenant);
  }
}

function erasureOf(row: Selectable<Tables['erasures']>): Erasure {
  return {
    id: row.id,
    subject: row.subject,
    own: row.own,
    state: row.state,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at.getTime(),
    confirmedBy: row.confirmed_by,
    waitingFor: row.waiting_for,
    report: row.report,
    finishedAt: row.finished_at?.getTime() ?? null,
  };
}

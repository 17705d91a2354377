import { sql, type RawBuilder } from 'kysely';
import { finalPhases } from '../../../domain/contract';
import type { RowCounts } from '../../../domain/retention/retention';
import type { PersonalData, RunOfPerson } from '../../../ports/erasures';
import type { Transaction } from '../database';
import { runPlaces } from './registry';
import { heldRun, PostgresRetention, runsAndRules } from './retention';

export class PostgresPersonalData implements PersonalData {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async runsOf(subject: string, after: string | undefined, limit: number): Promise<RunOfPerson[]> {
    const runs = sql<{ run_id: string; ended: boolean; held: boolean }>`
      select r.run_id, r.phase in (${sql.join([...finalPhases])}) as ended, ${heldRun()} as held
      from ${runsAndRules()} r
      where r.tenant = ${this.tenant} and r.run_id > ${after ?? ''}
        and (r.customer = ${subject} or r.request ->> 'customerId' = ${subject} or r.on_behalf_of in (${subject}, lower(${subject}))
          or r.run_id in (select ref from spoken_for where tenant = ${this.tenant} and on_behalf_of in (${subject}, lower(${subject})))
          or r.run_id in (${this.runsThatName(subject)}))
      order by r.run_id limit ${limit}`;
    return (await runs.execute(this.trx)).rows.map(({ run_id: runId, ...how }) => ({ runId, ...how }));
  }

  async eraseRun(runId: string): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const { table, set, where } of runPlaces) {
      const rows = where?.(runId) ?? sql`run_id = ${runId}`;
      const done =
        await sql`update ${sql.table(table)} set ${set} where tenant = ${this.tenant} and ${rows}`.execute(
          this.trx,
        );
      counts[table] = Number(done.numAffectedRows ?? 0);
    }
    return counts;
  }

  async eraseRecords(erasureId: string, subject: string): Promise<RowCounts> {
    const changed = async (statement: RawBuilder<unknown>) =>
      Number((await statement.execute(this.trx)).numAffectedRows ?? 0);
    const counts: Record<string, number> = {
      payments: await changed(
        sql`update payments set customer = null where tenant = ${this.tenant} and customer = ${subject}`,
      ),
      principals: await changed(sql`
        update principals set display_name = id where tenant = ${this.tenant} and lower(id) = lower(${subject}) and display_name <> id`),
      spoken_for: await changed(
        sql`delete from spoken_for where tenant = ${this.tenant} and on_behalf_of in (${subject}, lower(${subject}))`,
      ),
    };
    counts['batches'] = await changed(sql`
      update batches set on_behalf_of = null where tenant = ${this.tenant} and lower(on_behalf_of) = lower(${subject})`);
    // Rows that wait, or were never started, have no run that could be erased.
    counts['batch_items'] = await changed(sql`
      update batch_items set state = 'left_out', code = 'batch_item_changed', detail = 'its person was erased',
        content = null, name = null
      where tenant = ${this.tenant} and state in ('unchecked', 'ready')
        and content::text ~ mention_of(${subject}) and content ? 'request'`);
    for (const table of await new PostgresRetention(this.trx, this.tenant).ownedTables()) {
      const erased = sql<{ n: number }>`select erase_rows(${table}, ${erasureId}) as n`;
      counts[table] = (await erased.execute(this.trx)).rows[0]?.n ?? 0;
    }
    return counts;
  }

  async tables(): Promise<string[]> {
    const tables = sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'tenant' and not a.attisdropped
      order by 1`;
    return (await tables.execute(this.trx)).rows.map(({ name }) => name);
  }

  async mentions(table: string, subject: string): Promise<number> {
    const counted = sql<{ n: number }>`select count_mentions(${table}, ${subject}) as n`;
    return (await counted.execute(this.trx)).rows[0]?.n ?? 0;
  }

  /** In what people wrote. A handle of somebody who holds keys stands in a run for what he did, and makes it not his. */
  private runsThatName(subject: string): RawBuilder<unknown> {
    const named = sql`~ mention_of(${subject})`;
    const mine = sql`tenant = ${this.tenant}`;
    return sql`
      select run_id from (
        select run_id from runs where ${mine} and (note ${named} or request::text ${named})
        union all select run_id from approvals where ${mine} and facts::text ${named}
        union all select run_id from decisions where ${mine} and comment ${named}
        union all select run_id from review_orders where ${mine} and comment ${named}
        union all select run_id from reconciliation_differences where ${mine} and comment ${named}
      ) written where not exists (select from principals where ${mine} and lower(id) = lower(${subject}))`;
  }
}

import { sql, type RawBuilder } from 'kysely';
import { finalPhases } from '../../../domain/contract';
import type { RetentionRule, RowCounts } from '../../../domain/retention/retention';
import type { Retention } from '../../../ports/erasures';
import type { Transaction } from '../database';

interface RuleRow {
  readonly run_days: number;
  readonly memory_days: number;
  readonly turn_days: number;
  readonly version: number;
  readonly changed_by: string | null;
  readonly changed_at: Date | null;
}

const ended = sql.join([...finalPhases]);
const runsAreDue = sql`clock_timestamp() - make_interval(days => (select run_days from retention_now()))`;

export class PostgresRetention implements Retention {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async rule(): Promise<RetentionRule> {
    const [row] = (await sql<RuleRow>`select * from retention_now()`.execute(this.trx)).rows;
    if (!row) throw new RangeError('there is always a rule');
    return {
      runDays: row.run_days,
      memoryDays: row.memory_days,
      turnDays: row.turn_days,
      version: row.version,
      changedBy: row.changed_by,
      changedAt: row.changed_at?.getTime() ?? null,
    };
  }

  async set(version: number, days: Parameters<Retention['set']>[1], by: string): Promise<boolean> {
    const before = await this.rule();
    if (before.version !== version) return false;
    const { runDays, memoryDays, turnDays } = { ...before, ...days };
    const set = {
      run_days: runDays,
      memory_days: memoryDays,
      turn_days: turnDays,
      version: version + 1,
      changed_by: by,
    };
    const changed = await this.trx
      .insertInto('retention_rules')
      .values({ tenant: this.tenant, ...set })
      .onConflict((oc) =>
        oc
          .column('tenant')
          .doUpdateSet({ ...set, changed_at: sql<Date>`clock_timestamp()` })
          .where('retention_rules.version', '=', version),
      )
      .returning('version')
      .executeTakeFirst();
    return changed !== undefined;
  }

  async agedRuns(limit: number): Promise<string[]> {
    const aged = sql<{
      run_id: string;
    }>`select r.run_id from ${runsAndRules()} r where ${this.runIsDue()} order by r.updated_at limit ${limit}`;
    return (await aged.execute(this.trx)).rows.map((row) => row.run_id);
  }

  async sweepPayments(limit: number): Promise<number> {
    const swept = sql`
      update payments set customer = null where (account, payment_id) in (
        select p.account, p.payment_id from payments p where ${this.paymentIsDue()} limit ${limit})`;
    return Number((await swept.execute(this.trx)).numAffectedRows ?? 0);
  }

  async sweepBatches(limit: number): Promise<{ rows: number; batches: number }> {
    const rows = sql`
      update batch_items set content = null, name = null where (batch_id, row) in (
        select i.batch_id, i.row from batches b join batch_items i using (batch_id) where ${this.batchRowIsDue()} limit ${limit})`;
    const batches = sql`
      update batches set on_behalf_of = null where batch_id in (
        select b.batch_id from batches b where ${this.batchIsDue()} and b.on_behalf_of is not null limit ${limit})`;
    return {
      rows: Number((await rows.execute(this.trx)).numAffectedRows ?? 0),
      batches: Number((await batches.execute(this.trx)).numAffectedRows ?? 0),
    };
  }

  async ownedTables(): Promise<string[]> {
    const rows = await this.trx.selectFrom('owned_tables').select('table_name').orderBy('place').execute();
    return rows.map((row) => row.table_name);
  }

  async sweepRows(table: string, limit: number): Promise<number> {
    return this.aged(table, limit, true);
  }

  async due(): Promise<RowCounts> {
    const due: Record<string, number> = {
      runs: await this.countOf(sql`${runsAndRules()} r where ${this.runIsDue()}`),
      payments: await this.countOf(sql`payments p where ${this.paymentIsDue()}`),
      batch_items: await this.countOf(
        sql`batches b join batch_items i using (batch_id) where ${this.batchRowIsDue()}`,
      ),
    };
    for (const table of await this.ownedTables()) due[table] = await this.aged(table, 0, false);
    return due;
  }

  private async aged(table: string, limit: number, really: boolean): Promise<number> {
    const call = sql<{ n: number }>`select sweep_rows(${table}, ${limit}, ${really}) as n`;
    return (await call.execute(this.trx)).rows[0]?.n ?? 0;
  }

  private async countOf(from: RawBuilder<unknown>): Promise<number> {
    const counted = sql<{ n: number }>`select count(*) as n from ${from}`;
    return (await counted.execute(this.trx)).rows[0]?.n ?? 0;
  }

  private runIsDue(): RawBuilder<unknown> {
    return sql`r.tenant = ${this.tenant} and r.erased_at is null and r.phase in (${ended}) and r.updated_at < ${runsAreDue}
      and not ${heldRun()}`;
  }

  private batchIsDue(): RawBuilder<unknown> {
    return sql`b.tenant = ${this.tenant} and b.kind = 'refunds' and b.ended_at < ${runsAreDue}
      and not is_held('run', b.batch_id) and not is_held('person', b.on_behalf_of)`;
  }

  /** What a row says that never ran, as of a dry run: one that did has a run, which is swept with its row. */
  private batchRowIsDue(): RawBuilder<unknown> {
    return sql`${this.batchIsDue()} and (i.content is not null or i.name is not null)
      and not is_held('person', i.content #>> '{request,customerId}')
      and not exists (select from runs r where r.run_id = i.run_id)`;
  }

  private paymentIsDue(): RawBuilder<unknown> {
    return sql`p.tenant = ${this.tenant} and p.customer is not null and p.read_at < ${runsAreDue}
      and not is_held('person', p.customer)
      and not exists (select from runs u where u.tenant = p.tenant and u.payment_id = p.payment_id and u.erased_at is null)`;
  }
}

/** What people decided about one by one: refunds, and rules of procedure, whose owner is the customer of their approval. */
export function runsAndRules(): RawBuilder<unknown> {
  return sql`(
    select run_id, tenant, phase, customer, request, on_behalf_of, updated_at, erased_at from runs
    union all
    select run_id, tenant, case status when 'open' then 'waiting_approval' when 'approved' then 'completed' else status end,
      customer, '{}'::jsonb, facts ->> 'onBehalfOf', to_timestamp(ended_at / 1000.0),
      case when customer is null then opened_at end
    from approvals where starts_with(run_id, 'mcd_'))`;
}

/** Whether a hold is on the tenant, on a run `r`, or on a person whom it concerns. */
export function heldRun(): RawBuilder<unknown> {
  return sql`(is_held('run', r.run_id) or is_held('person', r.customer) or is_held('person', r.request ->> 'customerId')
    or is_held('person', r.on_behalf_of))`;
}

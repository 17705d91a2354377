import { sql, type RawBuilder } from 'kysely';
import type {
  Inbox,
  InboxCounts,
  InboxDay,
  InboxFilter,
  InboxOrder,
  InboxPage,
  InboxPosition,
  InboxRow,
  OpenPage,
} from '../../ports/inbox';
import type { ApprovalState } from '../../domain/approval/state';
import { pageOf } from '../../domain/page';
import type { Day } from '../../domain/time/days';
import { storedApprovals } from './approvals';
import type { Transaction } from './database';
import { dailyOf } from './inboxDays';

/** More matches of a search than this are not looked through. */
const mostMatches = 5_000;
const countedTo = 1_000;
const dayMs = 24 * 3_600_000;

const orders: Record<InboxOrder, { column: 'opened_at' | 'deadline' | 'amount'; down: boolean }> = {
  oldest: { column: 'opened_at', down: false },
  newest: { column: 'opened_at', down: true },
  deadline: { column: 'deadline', down: false },
  amount: { column: 'amount', down: true },
};

export class PostgresInbox implements Inbox {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async list(
    filter: InboxFilter,
    order: InboxOrder,
    after: InboxPosition | undefined,
    limit: number,
    now: number,
  ): Promise<InboxPage> {
    const { column, down } = orders[order];
    const direction = down ? 'desc' : 'asc';
    const rows = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .select(sql<string>`${sql.ref(column)}::text`.as('sorted_by'))
      .where('tenant', '=', this.tenant)
      .where(sql<boolean>`${allOf(conditions(filter, now))}`)
      .$if(after !== undefined, (q) => q.where(beyond(column, down, after)))
      .orderBy(column, direction)
      .orderBy('id', direction)
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    return {
      items: await storedApprovals(this.trx, this.tenant, page),
      next: last ? { value: last.sorted_by, id: last.id } : undefined,
    };
  }

  async counts(person: string, now: number): Promise<InboxCounts> {
    const { tenant } = this;
    const { rows } = await sql<{ open: number; mine: number; due: number; groups: Record<string, number> }>`
      select
        (select count(*) from (select from approvals where tenant = ${tenant} and status = 'open'
          limit ${countedTo}) o) as open,
        (select count(*) from (select from approvals where tenant = ${tenant} and claimed_by = ${person}
          and status = 'open' and claimed_until > ${now} limit ${countedTo}) m) as mine,
        (select count(*) from (select from approvals where tenant = ${tenant} and status = 'open'
          and deadline < ${new Date(now + dayMs)} limit ${countedTo}) d) as due,
        (select coalesce(jsonb_object_agg(approver_group, n), '{}') from (
          select approver_group, count(*) as n from (
            select approver_group from approvals where tenant = ${tenant} and status = 'open' limit ${countedTo}
          ) g group by approver_group) c) as groups
    `.execute(this.trx);
    const [row] = rows;
    return {
      countedTo,
      open: row?.open ?? 0,
      claimedByMe: row?.mine ?? 0,
      dueWithin24h: row?.due ?? 0,
      byGroup: row?.groups ?? {},
    };
  }

  daily(days: readonly Day[]): Promise<InboxDay[]> {
    return dailyOf(this.trx, this.tenant, days);
  }

  async open(after: InboxPosition | undefined, limit: number): Promise<OpenPage> {
    const rows = await this.trx
      .selectFrom('approvals')
      .select(['id', 'run_id', sql<string>`opened_at::text`.as('sorted_by')])
      .where('tenant', '=', this.tenant)
      .where('status', '=', 'open')
      .$if(after !== undefined, (q) => q.where(beyond('opened_at', false, after)))
      .orderBy('opened_at')
      .orderBy('id')
      .limit(limit + 1)
      .execute();
    const { page, last } = pageOf(rows, limit);
    return {
      runIds: page.map((row) => row.run_id),
      next: last ? { value: last.sorted_by, id: last.id } : undefined,
    };
  }

  async row(runId: string): Promise<InboxRow | undefined> {
    return this.read(runId, false);
  }

  async lockRow(runId: string): Promise<InboxRow | undefined> {
    return this.read(runId, true);
  }

  private async read(runId: string, lock: boolean): Promise<InboxRow | undefined> {
    const row = await this.trx
      .selectFrom('approvals')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('run_id', '=', runId)
      .$if(lock, (q) => q.forUpdate())
      .executeTakeFirst();
    return (
      row && {
        id: row.id,
        epoch: row.epoch,
        approval: row.state as ApprovalState,
        columns: {
          status: row.status,
          approverGroup: row.approver_group,
          amount: row.amount,
          currency: row.currency,
          openedAt: row.opened_at.getTime(),
          deadline: row.deadline.getTime(),
        },
      }
    );
  }
}

function conditions(filter: InboxFilter, now: number): RawBuilder<boolean>[] {
  const { status, group, assignee, openedBefore, deadlineBefore, currency, customer, risk, text } = filter;
  const { amountFrom, amountTo } = filter;
  const asked: (RawBuilder<boolean> | undefined)[] = [
    status === undefined ? undefined : sql`status = ${status}`,
    group === undefined ? undefined : sql`(approver_group = ${group} or escalated_to = ${group})`,
    assignee === undefined ? undefined : sql`(claimed_by = ${assignee} and claimed_until > ${now})`,
    openedBefore === undefined ? undefined : sql`opened_at <= ${new Date(openedBefore)}`,
    deadlineBefore === undefined ? undefined : sql`deadline <= ${new Date(deadlineBefore)}`,
    currency === undefined ? undefined : sql`currency = ${currency}`,
    amountFrom === undefined ? undefined : sql`amount >= ${amountFrom}`,
    amountTo === undefined ? undefined : sql`amount <= ${amountTo}`,
    customer === undefined ? undefined : sql`customer = ${customer}`,
    risk === undefined ? undefined : sql`${risk} = any(risk)`,
    text === undefined ? undefined : sql`id in (select inbox_search(${text}, ${mostMatches}))`,
  ];
  return asked.filter((condition) => condition !== undefined);
}

function allOf(parts: readonly RawBuilder<boolean>[]): RawBuilder<boolean> {
  return parts.length === 0 ? sql`true` : sql`${sql.join(parts, sql` and `)}`;
}

function beyond(
  column: string,
  down: boolean,
  { value, id }: InboxPosition = { value: '', id: '' },
): RawBuilder<boolean> {
  const type = sql.raw(column === 'amount' ? 'bigint' : 'timestamptz');
  const comparison = sql.raw(down ? '<' : '>');
  return sql`(${sql.ref(column)}, id) ${comparison} (${value}::${type}, ${id})`;
}

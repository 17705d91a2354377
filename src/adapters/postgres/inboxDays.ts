import { sql, type RawBuilder } from 'kysely';
import { approvalStatuses } from '../../domain/approval/state';
import type { Day } from '../../domain/time/days';
import type { InboxDay } from '../../ports/inbox';
import type { Transaction } from './database';

interface DayRow {
  readonly date: string;
  readonly opened: number;
  readonly decided: number;
  readonly lapsed: number;
  readonly waiting: number;
  readonly median_ms: number | null;
}

/**
 * How much came in and was decided on each of the days, in one statement over them alone: what waited at the end of a
 * day follows from what waits now and what has come and gone since. The last of the days is today.
 */
export function inboxDays(tenant: string, days: readonly Day[]) {
  const starts = days.map(({ from }) => from);
  const first = starts[0] ?? 0;
  // The day that something belongs to is the last one that had begun.
  const dayOf = (ms: RawBuilder<unknown>) => sql`width_bucket(${ms}, ${starts}::bigint[])`;
  return sql<DayRow>`
    with opened as (
      select ${dayOf(sql`floor(extract(epoch from opened_at) * 1000)::bigint`)} as day, count(*) as n
      from approvals where tenant = ${tenant} and status = any(${[...approvalStatuses]})
        and opened_at >= ${new Date(first)} group by 1
    ), ended as (
      select ${dayOf(sql`ended_at`)} as day, count(*) as n,
        count(*) filter (where status in ('approved', 'rejected')) as decided,
        percentile_cont(0.5) within group (order by ended_at - extract(epoch from opened_at) * 1000)
          filter (where status in ('approved', 'rejected')) as median_ms
      from approvals where tenant = ${tenant} and ended_at >= ${first} group by 1
    ), waiting as (
      select count(*) as n from approvals where tenant = ${tenant} and status = 'open'
    )
    select date, coalesce(opened.n, 0) as opened, coalesce(ended.decided, 0) as decided,
      coalesce(ended.n - ended.decided, 0) as lapsed, round(ended.median_ms)::bigint as median_ms,
      (waiting.n - coalesce(sum(coalesce(opened.n, 0) - coalesce(ended.n, 0))
        over (order by day rows between 1 following and unbounded following), 0))::bigint as waiting
    from waiting, unnest(${days.map(({ date }) => date)}::text[]) with ordinality as days (date, day)
      left join opened using (day) left join ended using (day)
    order by day
  `;
}

export async function dailyOf(trx: Transaction, tenant: string, days: readonly Day[]): Promise<InboxDay[]> {
  const { rows } = await inboxDays(tenant, days).execute(trx);
  return rows.map(({ median_ms: medianMs, ...day }) => ({ ...day, medianMs }));
}

import { sql } from 'kysely';
import { approvalStatuses } from '../../domain/approval/state';
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
 * How much came in and was decided on each of the last days, in one statement over the days alone: what waited at the
 * end of a day follows from what waits now and what has come and gone since.
 */
export function inboxDays(tenant: string, days: number, now: number) {
  const today = Math.floor(now / dayMs);
  const first = (today - days + 1) * dayMs;
  return sql<DayRow>`
    with opened as (
      select floor(extract(epoch from opened_at) * 1000 / ${dayMs})::int as day, count(*) as n
      from approvals where tenant = ${tenant} and status = any(${[...approvalStatuses]})
        and opened_at >= ${new Date(first)} group by 1
    ), ended as (
      select (ended_at / ${dayMs})::int as day, count(*) as n,
        count(*) filter (where status in ('approved', 'rejected')) as decided,
        percentile_cont(0.5) within group (order by ended_at - extract(epoch from opened_at) * 1000)
          filter (where status in ('approved', 'rejected')) as median_ms
      from approvals where tenant = ${tenant} and ended_at >= ${first} group by 1
    ), waiting as (
      select count(*) as n from approvals where tenant = ${tenant} and status = 'open'
    )
    select to_char(to_timestamp(day::bigint * ${dayMs / 1000}) at time zone 'UTC', 'YYYY-MM-DD') as date,
      coalesce(opened.n, 0) as opened, coalesce(ended.decided, 0) as decided,
      coalesce(ended.n - ended.decided, 0) as lapsed, round(ended.median_ms)::bigint as median_ms,
      (waiting.n - coalesce(sum(coalesce(opened.n, 0) - coalesce(ended.n, 0))
        over (order by day rows between 1 following and unbounded following), 0))::bigint as waiting
    from waiting, generate_series(${today - days + 1}::int, ${today}::int) day
      left join opened using (day) left join ended using (day)
    order by day
  `;
}

const dayMs = 86_400_000;

export async function dailyOf(
  trx: Transaction,
  tenant: string,
  days: number,
  now: number,
): Promise<InboxDay[]> {
  const { rows } = await inboxDays(tenant, days, now).execute(trx);
  return rows.map(({ median_ms: medianMs, ...day }) => ({ ...day, medianMs }));
}

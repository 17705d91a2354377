import { sql } from 'kysely';
import { CountersignError } from '../../domain/errors';
import type { RiskFacts } from '../../domain/risk/facts';
import type { RefundHistory } from '../../ports/refundHistory';
import type { Transaction } from './database';

const hourMs = 3_600_000;

interface Row {
  currency: string;
  refunded_elsewhere: number;
  disputed: number;
  paid_at: Date;
  refunded_to: 'same_method' | 'other_method' | null;
  customer: string | null;
  payment_refunds: number;
  payment_refunded: number;
  payment_rejections: number;
  customer_refunds: number;
  customer_refunded: number;
  last_hour: number;
  last_day: number;
  last_30_days: number;
  customer_rejections: number;
}

export class PostgresRefundHistory implements RefundHistory {
  constructor(private readonly trx: Transaction) {}

  async factsOf(runId: string, now: number): Promise<RiskFacts> {
    const since = (hours: number) => new Date(now - hours * hourMs);
    const { rows } = await sql<Row>`
      with me as (select run_id, payment_id, customer, currency from runs where run_id = ${runId})
      select p.currency, p.refunded_elsewhere, p.disputed, p.paid_at, p.refunded_to, me.customer, of_payment.*, of_customer.*
      from me join payments p on p.payment_id = me.payment_id,
      lateral (
        select count(*) filter (where r.money in ('reserved', 'unknown', 'paid')) as payment_refunds,
          coalesce(sum(r.amount) filter (where r.money in ('reserved', 'unknown', 'paid')), 0)::bigint as payment_refunded,
          count(*) filter (where a.status = 'rejected') as payment_rejections
        from runs r left join approvals a on a.run_id = r.run_id
        where r.payment_id = me.payment_id and r.run_id <> me.run_id
      ) as of_payment,
      lateral (
        select count(*) filter (where held) as customer_refunds,
          coalesce(sum(amount) filter (where held and currency = me.currency), 0)::bigint as customer_refunded,
          count(*) filter (where held and created_at > ${since(1)}) as last_hour,
          count(*) filter (where held and created_at > ${since(24)}) as last_day,
          count(*) filter (where held and created_at > ${since(30 * 24)}) as last_30_days,
          count(*) filter (where status = 'rejected') as customer_rejections
        from (
          select r.amount, r.currency, r.created_at, a.status, r.money in ('reserved', 'unknown', 'paid') as held
          from runs r left join approvals a on a.run_id = r.run_id
          where r.customer = me.customer and r.run_id <> me.run_id
        ) as others
      ) as of_customer
    `.execute(this.trx);
    const row = rows[0];
    if (!row) throw new CountersignError('internal', 'the past of a run without a payment was asked for');
    return factsIn(row, now);
  }
}

function factsIn(row: Row, now: number): RiskFacts {
  return {
    currency: row.currency,
    payment: {
      refunds: row.payment_refunds,
      refunded: row.payment_refunded + row.refunded_elsewhere,
      rejections: row.payment_rejections,
      ageHours: Math.max(0, Math.floor((now - row.paid_at.getTime()) / hourMs)),
      disputed: row.disputed,
    },
    ...(row.customer === null
      ? {}
      : {
          customer: {
            refunds: row.customer_refunds,
            refunded: row.customer_refunded,
            lastHour: row.last_hour,
            lastDay: row.last_day,
            last30Days: row.last_30_days,
            rejections: row.customer_rejections,
          },
        }),
    ...(row.refunded_to === null ? {} : { toOtherMethod: row.refunded_to === 'other_method' }),
  };
}

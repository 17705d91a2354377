import { sql } from 'kysely';
import { z } from 'zod';
import type { ProviderDatabase } from './database';

export const requestQuery = z.strictObject({
  method: z.string().max(10).optional(),
  /** With `*` for any part. */
  path: z.string().max(200).optional(),
  idempotency_key: z.string().max(255).optional(),
  payment: z.string().max(100).optional(),
  /** Only requests after this `seq`. */
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
});

/** The request log, oldest first, with counts over everything that matches and not only the page. */
export async function requestReport(
  db: ProviderDatabase,
  query: z.output<typeof requestQuery>,
): Promise<Record<string, unknown>> {
  const conditions = [sql`true`];
  if (query.method !== undefined) conditions.push(sql`method = ${query.method}`);
  if (query.path !== undefined)
    conditions.push(sql`path like ${query.path.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`);
  if (query.idempotency_key !== undefined) conditions.push(sql`idempotency_key = ${query.idempotency_key}`);
  if (query.payment !== undefined) conditions.push(sql`payment = ${query.payment}`);
  if (query.after !== undefined) conditions.push(sql`seq > ${query.after}`);
  const where = sql.join(conditions, sql` and `);
  const counts = await sql<Record<string, number>>`
    select count(*) as total, count(*) filter (where replayed) as replayed, count(*) filter (where not answered) as cut,
      count(*) filter (where status between 200 and 299 and not replayed) as succeeded,
      count(*) filter (where status >= 400) as refused,
      count(distinct idempotency_key) as keys
    from requests where ${where}`.execute(db);
  const items = await sql<Record<string, unknown>>`
    select seq, id, account, method, path, idempotency_key as "idempotencyKey", payment, status, answered, replayed, faults, parameters, at_ms as "atMs"
    from requests where ${where} order by seq limit ${query.limit}`.execute(db);
  return { counts: counts.rows[0], items: items.rows };
}

export const summaryQuery = z.strictObject({ charge: z.string().max(100).optional() });

/** The money, counted from the refunds themselves and not from the charges' running totals. Minor units. */
export async function moneySummary(
  db: ProviderDatabase,
  charge: string | undefined,
): Promise<Record<string, unknown>> {
  const filter = charge === undefined ? sql`true` : sql`(c.id = ${charge} or c.payment_intent = ${charge})`;
  const { rows } = await sql<Record<string, unknown>>`
    select c.id as charge, c.payment_intent as "paymentIntent", c.currency, c.amount, c.amount_captured as captured,
      c.amount_disputed as disputed, c.amount_refunded as "amountRefunded", count(r.id) as refunds,
      count(r.id) filter (where r.status not in ('failed', 'canceled')) as "standingRefunds",
      coalesce(sum(r.amount) filter (where r.status not in ('failed', 'canceled')), 0) as refunded,
      coalesce(sum(r.amount) filter (where r.status = 'succeeded'), 0) as succeeded,
      coalesce(sum(r.amount) filter (where r.status in ('pending', 'requires_action')), 0) as pending,
      coalesce(sum(r.amount) filter (where r.status = 'failed'), 0) as failed,
      coalesce(sum(r.amount) filter (where r.status = 'canceled'), 0) as canceled
    from charges c left join refunds r on r.charge = c.id where ${filter}
    group by c.id order by c.seq`.execute(db);
  const totals = await sql<Record<string, unknown>>`
    select count(*) as refunds, count(*) filter (where r.status not in ('failed', 'canceled')) as "standingRefunds"
    from refunds r join charges c on c.id = r.charge where ${filter}`.execute(db);
  return { charges: rows, totals: { charges: rows.length, ...totals.rows[0] } };
}

import { sql } from 'kysely';
import {
  admitLines,
  admitLinesAgain,
  shippingLine,
  type AdmittedLine,
  type TakenLine,
} from '../../domain/refund/lines';
import type { RefundRequest } from '../../domain/refund/request';
import type { Transaction } from './database';

/** One line of a run as `linesOfRun` selects it; amounts in minor units of the run's currency. */
export interface LineRow {
  readonly lineId: string;
  readonly quantity: number;
  readonly minor: number;
  readonly ofQuantity: number;
  readonly ofMinor: number;
}

/** For a query over `runs`: what the run has of its order's lines, as JSON. */
export const linesOfRun = sql<LineRow[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('lineId', l.line_id, 'quantity', l.quantity, 'minor', l.amount,
    'ofQuantity', l.of_quantity, 'ofMinor', l.of_amount) order by l.position), '[]')
  from refund_lines l where l.run_id = runs.run_id)`;

export function lineOf(row: LineRow, currency: string): AdmittedLine {
  return {
    lineId: row.lineId,
    quantity: row.quantity,
    amount: { minor: row.minor, currency },
    of: { quantity: row.ofQuantity, amount: { minor: row.ofMinor, currency } },
  };
}

export async function linesOf(trx: Transaction, runId: string): Promise<AdmittedLine[]> {
  const run = await trx
    .selectFrom('runs')
    .select('currency')
    .select(linesOfRun.as('lines'))
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return run ? run.lines.map((line) => lineOf(line, run.currency)) : [];
}

/**
 * Whether run `r` holds or has moved money, and its lines with it. One that was paid by hand at the provider has given
 * its reservation back, not its lines.
 */
const holdsLines = sql<boolean>`(r.money in ('reserved', 'unknown', 'paid')
  or (r.money = 'freed' and r.executed is not null and r.phase in ('settling', 'completed')))`;

/**
 * Takes the units that a run asks for, in the transaction that holds its amount; they are free again as soon as that
 * is. Requests on one order wait for each other here, after the payment's row, so nobody takes a unit twice.
 * @throws CountersignError line_changed, line_exhausted, amount_not_of_lines
 */
export async function takeLines(trx: Transaction, tenant: string, runId: string): Promise<void> {
  const { request } = (await trx
    .selectFrom('runs')
    .select('request')
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow()) as { request: RefundRequest };
  const { orderId = '', lines = [], shipping } = request;
  const names = [...lines.map(({ lineId }) => lineId), ...(shipping ? [shippingLine] : [])];
  await sql`select pg_advisory_xact_lock(hashtextextended(${JSON.stringify([tenant, orderId])}, 0))`.execute(
    trx,
  );
  // A statement of its own: it sees what those who had the lock before have taken.
  const { rows } = await sql<LineRow & { currency: string }>`
    select l.line_id as "lineId", sum(l.quantity)::bigint as quantity, sum(l.amount)::bigint as minor,
      min(l.of_quantity) as "ofQuantity", min(l.of_amount) as "ofMinor", min(r.currency) as currency
    from refund_lines l join runs r on r.run_id = l.run_id
    where l.tenant = ${tenant} and l.order_id = ${orderId} and l.line_id = any(${names})
      and l.run_id <> ${runId} and ${holdsLines}
    group by l.line_id
  `.execute(trx);
  const taken = new Map<string, TakenLine>();
  for (const { currency, ...row } of rows) {
    taken.set(row.lineId, { quantity: row.quantity, minor: row.minor, of: lineOf(row, currency).of });
  }
  const had = await linesOf(trx, runId);
  if (had.length > 0) return admitLinesAgain(had, taken);
  await trx
    .insertInto('refund_lines')
    .values(
      admitLines(request, taken, request.amount).map(({ lineId, quantity, amount, of }, position) => ({
        run_id: runId,
        tenant,
        order_id: orderId,
        line_id: lineId,
        position,
        quantity,
        amount: amount.minor,
        of_quantity: of.quantity,
        of_amount: of.amount.minor,
      })),
    )
    .execute();
}

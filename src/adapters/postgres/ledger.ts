import { sql } from 'kysely';
import { CountersignError } from '../../domain/errors';
import { refuseMoreThanLines } from '../../domain/refund/lines';
import type { Aggregates } from '../../domain/policy/evaluate';
import type { Balance, Ledger } from '../../ports/ledger';
import type { ProviderPayment } from '../../ports/payments';
import { isSqlState, type Transaction } from './database';
import { unclaimed } from './unclaimedRefunds';
import { linesOf, takeLines } from './refundLines';

type Row = {
  account: string;
  payment_id: string;
  currency: string;
  captured: number;
  disputed: number;
  refunded: number;
  unknown: number;
  reserved: number;
  refunded_elsewhere: number;
  customer: string | null;
  paid_at: Date;
};

/** What may still be admitted, minor units, as SQL (R6). */
const remaining = sql<number>`captured - disputed - refunded - refunded_elsewhere - unknown - reserved`;

export class PostgresLedger implements Ledger {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async adopt(payment: ProviderPayment): Promise<Balance> {
    const read = new Date();
    const elsewhere = await this.elsewhere(payment);
    // Row-level security hides another tenant's row: the conflict then updates nothing and returns nothing.
    const { rows } = await sql<Row>`
      insert into payments as p (account, payment_id, tenant, currency, captured, disputed, refunded_elsewhere, customer, intent, refunded_to, paid_at, read_at)
      values (${payment.account}, ${payment.paymentId}, ${this.tenant}, ${payment.currency}, ${payment.captured},
        ${payment.disputed}, ${elsewhere}, ${payment.customer ?? null}, ${payment.intent ?? null},
        ${payment.refundedTo ?? null}, ${new Date(payment.paidAt)}, ${read})
      on conflict (account, payment_id) do update
        set captured = excluded.captured, disputed = excluded.disputed, refunded_elsewhere = excluded.refunded_elsewhere,
            customer = excluded.customer, intent = coalesce(excluded.intent, p.intent),
            refunded_to = coalesce(excluded.refunded_to, p.refunded_to), read_at = excluded.read_at, changed_by = null
        where p.tenant = excluded.tenant
      returning *
    `
      .execute(this.trx)
      .catch((error: unknown) => {
        // 42501: the row exists and is another tenant's.
        if (isSqlState(error, '42501')) throw new CountersignError('payment_unknown');
        throw error;
      });
    const row = rows[0];
    if (!row) throw new CountersignError('payment_unknown');
    return balanceOf(row);
  }

  async elsewhere({ paymentId, refundedElsewhere, markedOurs = [] }: ProviderPayment): Promise<number> {
    if (markedOurs.length === 0) return refundedElsewhere;
    return refundedElsewhere + (await unclaimed(this.trx, paymentId, markedOurs));
  }

  async find(paymentId: string): Promise<Balance | undefined> {
    const row = await this.trx
      .selectFrom('payments')
      .selectAll()
      .where('payment_id', '=', paymentId)
      .executeTakeFirst();
    return row && balanceOf(row);
  }

  async reserve(runId: string, paymentId: string, amount: number): Promise<void> {
    // A run that had given its amount back and was reset holds it again, like one that never had.
    const { rows } = await sql<{ held: boolean; admitted: boolean; lined: boolean }>`
      with run as (
        select run_id, request from runs where run_id = ${runId} and money in ('none', 'freed') for update
      ), admitted as (
        update payments set reserved = reserved + ${amount}, changed_by = ${runId}
        where payment_id = ${paymentId} and exists (select from run) and ${amount} <= ${remaining}
        returning payment_id
      ), held as (
        update runs set money = 'reserved', amount = ${amount}, payment_id = ${paymentId}
        where run_id in (select run_id from run) and exists (select from admitted)
        returning run_id
      )
      select not exists (select from run) as held, exists (select from held) as admitted,
        -- Lines of v0.1 named no whole, and are not counted.
        exists (select from run where request ? 'shipping' or request -> 'lines' -> 0 ? 'of') as lined
    `.execute(this.trx);
    const outcome = rows[0];
    if (outcome?.held) return;
    if (!outcome?.admitted) throw await this.refusal(paymentId, amount);
    if (outcome.lined) await this.withLines(runId);
  }

  async changeReservation(runId: string, amount: number): Promise<void> {
    await this.lock(runId);
    refuseMoreThanLines(await linesOf(this.trx, runId), amount);
    const { rows } = await sql<{ payment_id: string; admitted: boolean }>`
      with run as (
        select run_id, payment_id, amount from runs where run_id = ${runId} and money = 'reserved' for update
      ), admitted as (
        update payments p set reserved = reserved + ${amount} - run.amount, changed_by = ${runId} from run
        -- What is held stays held, also where a dispute has left less than nothing.
        where p.payment_id = run.payment_id and (${amount} = run.amount or ${amount} - run.amount <= ${remaining})
        returning p.payment_id
      ), held as (
        update runs set amount = ${amount} where run_id in (select run_id from run) and exists (select from admitted)
      )
      select run.payment_id, exists (select from admitted) as admitted from run
    `.execute(this.trx);
    const outcome = rows[0];
    if (!outcome) throw new CountersignError('version_conflict', 'the run holds no reservation any more');
    if (!outcome.admitted) throw await this.refusal(outcome.payment_id, amount);
  }

  async release(runId: string): Promise<void> {
    await this.lock(runId);
    await sql`
      with run as (
        select run_id, payment_id, amount, money from runs
        where run_id = ${runId} and money in ('reserved', 'unknown') for update
      ), freed as (
        update payments p set
          reserved = p.reserved - case when run.money = 'reserved' then run.amount else 0 end,
          unknown = p.unknown - case when run.money = 'unknown' then run.amount else 0 end,
          changed_by = ${runId}
        from run where p.payment_id = run.payment_id
      )
      update runs set money = 'freed' where run_id in (select run_id from run)
    `.execute(this.trx);
  }

  async markUnknown(runId: string): Promise<void> {
    await this.lock(runId);
    await sql`
      with run as (
        select run_id, payment_id, amount from runs where run_id = ${runId} and money = 'reserved' for update
      ), moved as (
        update payments p set reserved = p.reserved - run.amount, unknown = p.unknown + run.amount, changed_by = ${runId}
        from run where p.payment_id = run.payment_id
      )
      update runs set money = 'unknown' where run_id in (select run_id from run)
    `.execute(this.trx);
  }

  async markPaid(runId: string): Promise<void> {
    await this.lock(runId);
    await sql`
      with run as (
        select run_id, payment_id, amount, money from runs
        where run_id = ${runId} and money in ('reserved', 'unknown') for update
      ), moved as (
        update payments p set
          reserved = p.reserved - case when run.money = 'reserved' then run.amount else 0 end,
          unknown = p.unknown - case when run.money = 'unknown' then run.amount else 0 end,
          refunded = p.refunded + run.amount,
          changed_by = ${runId}
        from run where p.payment_id = run.payment_id
      )
      update runs set money = 'paid' where run_id in (select run_id from run)
    `.execute(this.trx);
  }

  async reverse(runId: string): Promise<void> {
    await this.lock(runId);
    await sql`
      with run as (
        select run_id, payment_id, amount from runs where run_id = ${runId} and money = 'paid' for update
      ), moved as (
        update payments p set refunded = p.refunded - run.amount, changed_by = ${runId}
        from run where p.payment_id = run.payment_id
      )
      update runs set money = 'freed' where run_id in (select run_id from run)
    `.execute(this.trx);
  }

  async aggregates(runId: string, since: number, dayStart: number): Promise<Aggregates> {
    const { rows } = await sql<Aggregates>`
      with me as (select * from runs where run_id = ${runId})
      select
        (select coalesce(sum(r.amount), 0)::bigint from runs r, me
          where (r.payment_id = me.payment_id or r.split_id = me.split_id)
          and r.currency = me.currency and r.created_at > ${new Date(since)}
          and r.money in ('reserved', 'unknown', 'paid'))
          -- When those made by hand were made is not on record, so they count whenever it was.
          + (select coalesce(sum(p.refunded_elsewhere), 0)::bigint from payments p, me where p.payment_id = me.payment_id) as payment,
        (select coalesce(sum(r.amount), 0)::bigint from runs r, me where r.customer = me.customer
          and r.currency = me.currency and r.created_at > ${new Date(since)}
          and r.money in ('reserved', 'unknown', 'paid')) as customer,
        -- This run counts as if it were automatic; the others are few, since the caps themselves bound them.
        (select amount from me) + (select coalesce(sum(r.amount), 0)::bigint from runs r, me
          where r.requester = me.requester and r.automatic and r.run_id <> me.run_id and r.currency = me.currency
          and r.created_at > ${new Date(dayStart)} and r.money in ('reserved', 'unknown', 'paid')) as "automaticByPrincipal",
        (select amount from me) + (select coalesce(sum(r.amount), 0)::bigint from runs r, me
          where r.automatic and r.run_id <> me.run_id and r.currency = me.currency
          and r.created_at > ${new Date(dayStart)} and r.money in ('reserved', 'unknown', 'paid')) as "automaticByTenant"
    `.execute(this.trx);
    return rows[0] ?? { payment: 0, customer: 0, automaticByPrincipal: 0, automaticByTenant: 0 };
  }

  /** Without its lines the run holds no amount either, also where the caller goes on after the refusal. */
  private async withLines(runId: string): Promise<void> {
    try {
      await takeLines(this.trx, this.tenant, runId);
    } catch (error) {
      if (error instanceof CountersignError) await this.release(runId);
      throw error;
    }
  }

  /**
   * A statement of its own, so that the next one sees what another step of the same run has just committed: what is
   * read of the run and of the payment must be of one moment.
   */
  private async lock(runId: string): Promise<void> {
    await sql`select from runs where run_id = ${runId} for update`.execute(this.trx);
  }

  private async refusal(paymentId: string, amount: number): Promise<CountersignError> {
    const balance = await this.find(paymentId);
    if (!balance) return new CountersignError('payment_unknown');
    const details = {
      requested: amount,
      remaining: Math.max(balance.remaining, 0),
      currency: balance.currency,
    };
    if (balance.captured === 0) return new CountersignError('payment_uncaptured', undefined, details);
    if (balance.disputed > 0 && amount <= balance.remaining + balance.disputed) {
      return new CountersignError('payment_disputed', undefined, details);
    }
    return new CountersignError('exceeds_remaining', undefined, details);
  }
}

function balanceOf(row: Row): Balance {
  const { captured, disputed, unknown, reserved } = row;
  const refunded = row.refunded + row.refunded_elsewhere;
  return {
    account: row.account,
    paymentId: row.payment_id,
    currency: row.currency,
    captured,
    disputed,
    refunded,
    unknown,
    reserved,
    remaining: captured - disputed - refunded - unknown - reserved,
    customer: row.customer,
    paidAt: row.paid_at.getTime(),
  };
}

import { sql } from 'kysely';
import { ledgerAccounts, type LedgerAccount, type LedgerFigures } from '../../domain/ledger/accounts';
import type { OurBooks, OurRefund } from '../../domain/reconciliation/books';
import type { BooksOfPayment, LedgerMovement, PaymentBooks } from '../../ports/paymentBooks';
import type { Transaction } from './database';

type Figures = Record<LedgerAccount, number>;

export class PostgresPaymentBooks implements PaymentBooks {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async idOf(paymentOrIntent: string): Promise<string | undefined> {
    const column = paymentOrIntent.startsWith('pi_') ? 'intent' : 'payment_id';
    const row = await this.trx
      .selectFrom('payments')
      .select('payment_id')
      .where('tenant', '=', this.tenant)
      .where(column, '=', paymentOrIntent)
      .executeTakeFirst();
    return row?.payment_id;
  }

  async ownAmong(refunds: readonly { paymentId: string; runId?: string }[]): Promise<ReadonlySet<string>> {
    const paymentIds = [...new Set(refunds.map(({ paymentId }) => paymentId))];
    const runIds = [...new Set(refunds.flatMap(({ runId }) => runId ?? []))];
    const { rows } = await sql<{ payment_id: string | null; run_id: string | null }>`
      select payment_id, null as run_id from payments where tenant = ${this.tenant} and payment_id = any(${paymentIds})
      union all
      select null, run_id from runs where tenant = ${this.tenant} and run_id = any(${runIds})
    `.execute(this.trx);
    const payments = new Set(rows.map((row) => row.payment_id));
    const runs = new Set(rows.map((row) => row.run_id));
    const own = refunds.filter(
      ({ paymentId, runId }) => payments.has(paymentId) || (runId !== undefined && runs.has(runId)),
    );
    return new Set(own.map(({ paymentId }) => paymentId));
  }

  async lock(paymentId: string, refunds: readonly { id: string; runId?: string }[]): Promise<BooksOfPayment> {
    const balance = await this.lockBalance(paymentId);
    const { movedAt, ...calls } = await this.calls(paymentId, refunds);
    if (!balance) return { books: undefined, movedAt, ...calls };
    const { rows } = await sql<
      Figures & { held: number; unsure: number; paid: number; run_moved_at: Date | null }
    >`
      select ${sumsOf('e')}, max(e.at) filter (where e.run_id is not null) as run_moved_at, r.held, r.unsure, r.paid
      from ledger_entries e, (
        select coalesce(sum(amount) filter (where money = 'reserved'), 0)::bigint as held,
          coalesce(sum(amount) filter (where money = 'unknown'), 0)::bigint as unsure,
          coalesce(sum(amount) filter (where money = 'paid'), 0)::bigint as paid
        from runs where tenant = ${this.tenant} and payment_id = ${paymentId}
      ) r
      where e.account = ${balance.account} and e.payment_id = ${paymentId} group by r.held, r.unsure, r.paid
    `.execute(this.trx);
    const sums = rows[0];
    const books: OurBooks = {
      ...balance.books,
      entries: figuresOf(sums),
      runs: { reserved: sums?.held ?? 0, unknown: sums?.unsure ?? 0, paid: sums?.paid ?? 0 },
    };
    return { books, ...calls, movedAt: Math.max(movedAt, sums?.run_moved_at?.getTime() ?? 0) };
  }

  private async lockBalance(
    paymentId: string,
  ): Promise<{ account: string; books: Omit<OurBooks, 'entries' | 'runs'> } | undefined> {
    const row = await this.trx
      .selectFrom('payments')
      .selectAll()
      .where('tenant', '=', this.tenant)
      .where('payment_id', '=', paymentId)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return undefined;
    const { account, currency, captured, disputed, refunded, reserved, unknown } = row;
    const readAt = row.read_at.getTime();
    const refundedElsewhere = row.refunded_elsewhere;
    return {
      account,
      books: { currency, captured, disputed, refunded, refundedElsewhere, reserved, unknown, readAt },
    };
  }

  /** The calls of every run of this payment, and of every run that a refund of it names. */
  private async calls(
    paymentId: string,
    refunds: readonly { id: string; runId?: string }[],
  ): Promise<Omit<BooksOfPayment, 'books'>> {
    const runIds = refunds.flatMap(({ runId }) => runId ?? []);
    const { rows } = await sql<{
      run_id: string;
      key: string | null;
      state: OurRefund['state'];
      provider_id: string | null;
      amount: number;
      currency: string;
      updated_at: Date;
    }>`
      select r.run_id, e.key, e.state, e.provider_id, e.updated_at,
        -- The amount that was sent; a call that a person resolved with a refund made by hand has none.
        case when e.request is json array then (e.request::jsonb ->> 1)::bigint else r.amount end as amount,
        case when e.request is json array then e.request::jsonb ->> 2 else r.currency end as currency
      from runs r left join effects e on e.run_id = r.run_id and e.step = 'issue_refund'
      where r.tenant = ${this.tenant} and (r.payment_id = ${paymentId} or r.run_id = any(${runIds}))
    `.execute(this.trx);
    const calls = rows.flatMap(({ key, ...row }) => (key === null ? [] : [{ key, ...row }]));
    return {
      refunds: calls.map((row) => ({
        runId: row.run_id,
        key: row.key,
        state: row.state,
        refundId: row.provider_id,
        amount: { minor: row.amount, currency: row.currency },
      })),
      runIds: new Set(rows.map((row) => row.run_id)),
      movedAt: Math.max(0, ...calls.map((row) => row.updated_at.getTime())),
    };
  }

  async history(paymentId: string, after: number, limit: number): Promise<LedgerMovement[]> {
    const rows = await historyPage(this.trx, this.tenant, paymentId, after, limit).execute();
    return rows.map((row) => ({
      seq: row.seq,
      at: row.at.getTime(),
      atText: row.at_text,
      currency: row.currency,
      runId: row.run_id,
      requester: row.requester,
      moved: figuresOf(row),
      balances: row.balances,
      audit:
        row.actor === null || row.event === null
          ? null
          : { actor: row.actor, event: row.event, reason: row.reason, providerId: row.provider_id },
    }));
  }
}

/** One payment's movements with the balances after each, and the audit row of the transaction that made it. */
export function historyPage(
  trx: Transaction,
  tenant: string,
  paymentId: string,
  after: number,
  limit: number,
) {
  const account = sql<string>`(select account from payments where tenant = ${tenant} and payment_id = ${paymentId})`;
  const balances = sql<Figures>`jsonb_build_object(${sql.join(
    ledgerAccounts.flatMap((name) => [sql.lit(name), sql`sum(${sql.ref(name)}) over (order by seq)`]),
  )})`;
  return trx
    .selectFrom((eb) =>
      eb
        .selectFrom('ledger_entries')
        .selectAll()
        .select(balances.as('balances'))
        .where('account', '=', account)
        .where('payment_id', '=', paymentId)
        .as('e'),
    )
    .leftJoin('runs as r', 'r.run_id', 'e.run_id')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('ledger_causes as c')
          .innerJoin('audit', (join) =>
            join.onRef('audit.run_id', '=', 'c.run_id').onRef('audit.seq', '=', 'c.audit_seq'),
          )
          .select(['audit.actor', 'audit.event', 'audit.reason', 'audit.provider_id'])
          .whereRef('c.run_id', '=', 'e.run_id')
          .where(sql<boolean>`c.tx = e.tx`)
          .orderBy('c.audit_seq', 'desc')
          .limit(1)
          .as('a'),
      (join) => join.onTrue(),
    )
    .selectAll('e')
    .select([
      'r.requester',
      'a.actor',
      'a.event',
      'a.reason',
      'a.provider_id',
      sql<string>`e.at::text`.as('at_text'),
    ])
    .where('e.seq', '>', after)
    .orderBy('e.seq')
    .limit(limit);
}

const sumsOf = (table: string) =>
  sql.join(
    ledgerAccounts.map(
      (name) => sql`coalesce(sum(${sql.ref(`${table}.${name}`)}), 0)::bigint as ${sql.ref(name)}`,
    ),
  );

function figuresOf(row: Partial<Figures> | undefined): LedgerFigures {
  return Object.fromEntries(ledgerAccounts.map((name) => [name, row?.[name] ?? 0])) as Figures;
}

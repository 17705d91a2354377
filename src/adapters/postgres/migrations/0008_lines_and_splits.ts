import { sql, type Kysely } from 'kysely';

/**
 * The lines of an order that a refund gives back, and refunds of one order over several of its payments. A line's
 * units are taken for as long as its run holds or has moved money, so nothing has to be given back twice.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table refund_lines (
      run_id text not null references runs (run_id),
      tenant text not null references tenants (id),
      order_id text not null,
      -- Shipping is the line without a name.
      line_id text not null,
      position integer not null,
      quantity integer not null check (quantity between 1 and of_quantity),
      -- Minor units of the run's currency: this refund's share, and the whole line as it was bought.
      amount bigint not null check (amount between 0 and of_amount),
      of_quantity integer not null,
      of_amount bigint not null,
      primary key (run_id, line_id)
    );
    create index refund_lines_by_line on refund_lines (tenant, order_id, line_id);

    create table refund_splits (
      split_id text primary key,
      tenant text not null references tenants (id),
      requester text not null,
      order_id text not null,
      currency text not null,
      amount bigint not null check (amount > 0),
      request jsonb not null,
      created_at timestamptz not null default clock_timestamp()
    );
    alter table runs add column split_id text references refund_splits (split_id);
    create index runs_by_split on runs (split_id, created_at) where split_id is not null;
  `.execute(db);

  for (const table of ['refund_lines', 'refund_splits']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
      grant select, insert on ${sql.table(table)} to countersign_app;
    `.execute(db);
  }
}

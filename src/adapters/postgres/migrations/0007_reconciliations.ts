import { sql, type Kysely } from 'kysely';

/**
 * Reconciliations with the provider and the differences that they find; what a payment's history needs: the payment
 * intent that it is known by too, and which audit row was written in the same transaction as a movement.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table payments add column intent text;
    create index payments_by_intent on payments (tenant, intent) where intent is not null;
    -- The last reconciliation that has compared this payment: a page that is begun again leaves it out.
    alter table payments add column reconciled_by text;

    -- In two steps, so that rows from before keep no transaction instead of this one.
    alter table ledger_entries add column tx xid8;
    alter table ledger_entries alter column tx set default pg_current_xact_id();
    create index ledger_entries_by_time on ledger_entries (tenant, at, payment_id, seq);

    -- Which audit row says why money moved: the one that was written in the same transaction, after the movement. Beside
    -- the audit log, whose rows hold nothing that their hash doesn't cover.
    create table ledger_causes (
      tenant text not null,
      run_id text not null,
      tx xid8 not null,
      audit_seq integer not null,
      primary key (run_id, tx, audit_seq)
    );

    create function ledger_moved() returns trigger language plpgsql as $$
    begin
      perform set_config('countersign.moved', pg_current_xact_id()::text, true);
      return null;
    end $$;
    create trigger ledger_moved after insert on ledger_entries for each row
      when (new.run_id is not null) execute function ledger_moved();

    create function ledger_cause() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      if current_setting('countersign.moved', true) = pg_current_xact_id()::text then
        insert into ledger_causes values (new.tenant, new.run_id, pg_current_xact_id(), new.seq);
      end if;
      return null;
    end $$;
    revoke all on function ledger_cause() from public;
    create trigger ledger_cause after insert on audit for each row execute function ledger_cause();

    create trigger ledger_causes_append_only before update or delete on ledger_causes for each row execute function ledger_refuse();
    create trigger ledger_causes_no_truncate before truncate on ledger_causes for each statement execute function ledger_refuse();
    alter table ledger_causes enable row level security;
    create policy tenant_scope on ledger_causes to countersign_app
      using (tenant = current_setting('countersign.tenant', true));
    grant select on ledger_causes to countersign_app;

    create table reconciliations (
      id text primary key,
      tenant text not null references tenants (id),
      state text not null default 'queued' check (state in ('queued', 'running', 'finished', 'failed')),
      -- A person, or the schedule.
      requested_by text not null,
      window_from timestamptz not null,
      window_to timestamptz not null check (window_to >= window_from),
      progress jsonb not null default '{"side":"provider"}',
      pages integer not null default 0,
      compared integer not null default 0,
      -- Payments that differed and are left for the next time, since something had just moved there.
      in_flight text[] not null default '{}',
      differences integer not null default 0,
      error_code text,
      started_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz
    );
    create index reconciliations_newest on reconciliations (tenant, started_at desc, id desc);

    create table reconciliation_differences (
      -- Made of tenant, kind, payment, refund and run: the same difference is one row.
      id text primary key,
      tenant text not null references tenants (id),
      kind text not null,
      payment_id text not null,
      refund_id text,
      run_id text,
      -- The one that saw it last.
      reconciliation_id text not null references reconciliations (id),
      ours jsonb,
      theirs jsonb,
      explanation text not null,
      status text not null check (status in ('open', 'adopted', 'gone', 'dismissed')),
      first_seen timestamptz not null default clock_timestamp(),
      last_seen timestamptz not null default clock_timestamp(),
      resolved_at timestamptz check ((resolved_at is null) = (status = 'open')),
      dismissed_by text check ((dismissed_by is not null) = (status = 'dismissed')),
      comment text
    );
    create index reconciliation_differences_by_status on reconciliation_differences (tenant, status, first_seen, id);
    create index reconciliation_differences_all on reconciliation_differences (tenant, first_seen, id);
    create index reconciliation_differences_of_payment on reconciliation_differences (tenant, payment_id);

    -- What a reconciliation has found out about a run's refund: it is told as by a webhook.
    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check check (kind in ('start', 'decision', 'cancel', 'review', 'news'));
  `.execute(db);

  for (const table of ['reconciliations', 'reconciliation_differences']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
      grant select, insert, update on ${sql.table(table)} to countersign_app;
    `.execute(db);
  }
}

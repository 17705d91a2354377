import { sql, type Kysely } from 'kysely';

/**
 * Double entry over each payment: one row per change, six accounts, minor units, and every row adds up to nothing by
 * its own constraint. Written by a trigger on `payments`, so no change of a balance can leave its entry out; nobody
 * can add, change or remove one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The run that made the last change, where one did; null is the provider's own record.
    alter table payments add column changed_by text;

    create table ledger_entries (
      tenant text not null,
      account text not null,
      payment_id text not null,
      seq integer not null,
      at timestamptz not null default clock_timestamp(),
      run_id text,
      currency text not null,
      customer bigint not null default 0,
      captured bigint not null default 0,
      reserved bigint not null default 0,
      unknown bigint not null default 0,
      refunded bigint not null default 0,
      disputed bigint not null default 0,
      primary key (account, payment_id, seq),
      constraint balanced check (customer + captured + reserved + unknown + refunded + disputed = 0)
    );

    create function ledger_entry() returns trigger language plpgsql security definer set search_path = public as $$
    declare
      -- A row of nulls where the payment is new.
      before payments%rowtype;
      number integer;
    begin
      if tg_op = 'UPDATE' then
        before := old;
      end if;
      select coalesce(max(seq), 0) + 1 into number from ledger_entries
        where account = new.account and payment_id = new.payment_id;
      insert into ledger_entries (tenant, account, payment_id, seq, run_id, currency, customer, captured, reserved, unknown, refunded, disputed)
      select new.tenant, new.account, new.payment_id, number, new.changed_by, new.currency,
        -d.captured, d.captured - d.reserved - d.unknown - d.refunded - d.disputed, d.reserved, d.unknown, d.refunded, d.disputed
      from (select
        new.captured - coalesce(before.captured, 0) as captured,
        new.reserved - coalesce(before.reserved, 0) as reserved,
        new.unknown - coalesce(before.unknown, 0) as unknown,
        new.refunded + new.refunded_elsewhere - coalesce(before.refunded + before.refunded_elsewhere, 0) as refunded,
        new.disputed - coalesce(before.disputed, 0) as disputed) d
      where d.captured <> 0 or d.reserved <> 0 or d.unknown <> 0 or d.refunded <> 0 or d.disputed <> 0;
      return null;
    end $$;
    revoke all on function ledger_entry() from public;
    create trigger ledger_entry after insert or update on payments for each row execute function ledger_entry();

    create function ledger_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'ledger entries are never changed; a correction is a new entry';
    end $$;
    create trigger ledger_append_only before update or delete on ledger_entries for each row execute function ledger_refuse();
    create trigger ledger_no_truncate before truncate on ledger_entries for each statement execute function ledger_refuse();

    alter table ledger_entries enable row level security;
    create policy tenant_scope on ledger_entries to countersign_app
      using (tenant = current_setting('countersign.tenant', true));
    grant select on ledger_entries to countersign_app;
  `.execute(db);
}

import { sql, type Kysely } from 'kysely';

/** Reviews: why a run waits for a person, and what people ordered. Provider events: each is handled once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table runs add column review jsonb;
    -- The workflow that carries the run now, where it is not the first one: reopened after a late failure.
    alter table runs add column reopened_by text;

    -- A policy from before there were reviews: whom it escalates to settles them.
    update policies set document = document || jsonb_build_object('reviewGroup',
      coalesce(document #>> '{escalation,toGroup}', document ->> 'approverGroup')) where not document ? 'reviewGroup';

    create table review_orders (
      id text primary key,
      tenant text not null references tenants (id),
      run_id text not null references runs (run_id),
      action text not null check (action in ('retry', 'resolve_paid', 'fail')),
      refund_id text,
      actor text not null,
      comment text,
      at timestamptz not null default clock_timestamp(),
      answer jsonb
    );
    create index review_orders_by_run on review_orders (run_id);
    alter table review_orders enable row level security;
    create policy tenant_scope on review_orders to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant select, insert, update on review_orders to countersign_app;

    -- One refund of the provider pays one run.
    create unique index effects_provider_id on effects (provider_id) where provider_id is not null;

    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check check (kind in ('start', 'decision', 'cancel', 'review'));

    create table provider_events (
      account text not null,
      event_id text not null,
      type text not null,
      received_at timestamptz not null default clock_timestamp(),
      primary key (account, event_id)
    );
    grant select, insert, delete on provider_events to countersign_app;

    -- An event names a payment before its tenant is known; only the payment's id opens the row.
    create function tenant_of_payment(of_account text, of_payment text) returns text
      language sql stable security definer set search_path = public as $$
      select tenant from payments where account = of_account and payment_id = of_payment
    $$;
    revoke all on function tenant_of_payment(text, text) from public;
    grant execute on function tenant_of_payment(text, text) to countersign_app;
  `.execute(db);
}

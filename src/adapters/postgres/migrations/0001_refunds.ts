import { sql, type Kysely } from 'kysely';

/**
 * Tenants, intake, runs, the payment balance, the effect journal, approvals with their decisions, and the
 * outbox. Owned by the migrating role; the application role gets only the grants below, and
 * row-level security binds it to one tenant per transaction (`countersign.tenant`).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      if not exists (select from pg_roles where rolname = 'countersign_app') then
        create role countersign_app nologin;
      end if;
    end $$;

    create table tenants (
      id text primary key check (id ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
      name text not null
    );

    create table principals (
      tenant text not null references tenants (id),
      id text not null,
      kind text not null check (kind in ('person', 'service', 'agent')),
      display_name text not null,
      groups text[] not null default '{}',
      -- Personal approval limit in major units of whatever currency the refund has; null is no limit.
      limit_major numeric,
      active boolean not null default true,
      primary key (tenant, id)
    );

    create table api_keys (
      token_hash text primary key,
      tenant text not null,
      principal_id text not null,
      revoked_at timestamptz,
      foreign key (tenant, principal_id) references principals (tenant, id)
    );

    create table channel_keys (
      kid text primary key,
      tenant text references tenants (id),
      public_jwk jsonb not null,
      revoked_at timestamptz
    );

    create table policies (
      tenant text not null references tenants (id),
      version text not null,
      document jsonb not null,
      published_at timestamptz not null default clock_timestamp(),
      primary key (tenant, version)
    );

    -- The balance of one payment, minor units. Every change is one conditional UPDATE of this row (R7).
    create table payments (
      account text not null,
      payment_id text not null,
      tenant text not null references tenants (id),
      currency text not null,
      captured bigint not null check (captured >= 0),
      disputed bigint not null default 0 check (disputed >= 0),
      refunded bigint not null default 0 check (refunded >= 0),
      unknown bigint not null default 0 check (unknown >= 0),
      reserved bigint not null default 0 check (reserved >= 0),
      -- Refunds of this payment that are not ours (made by hand at the provider), when it was last read.
      refunded_elsewhere bigint not null default 0 check (refunded_elsewhere >= 0),
      customer text,
      paid_at timestamptz not null,
      read_at timestamptz not null,
      primary key (account, payment_id)
    );

    create table runs (
      run_id text primary key,
      tenant text not null references tenants (id),
      phase text not null,
      requester text not null,
      on_behalf_of text,
      payment_id text not null,
      currency text not null,
      -- The amount in force, minor units: as requested, or as the last revision says.
      amount bigint not null check (amount > 0),
      -- none: nothing held yet. What is held: reserved, unknown, paid. freed: given back.
      money text not null default 'none' check (money in ('none', 'reserved', 'unknown', 'paid', 'freed')),
      automatic boolean not null default false,
      customer text,
      request jsonb not null,
      note text,
      approved jsonb,
      executed jsonb,
      result jsonb,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp()
    );
    create index runs_list on runs (tenant, created_at desc, run_id desc);
    create index runs_by_phase on runs (tenant, phase, created_at desc, run_id desc);
    create index runs_by_payment on runs (tenant, payment_id, created_at);
    create index runs_by_customer on runs (tenant, customer, created_at);
    -- For the daily caps: what passed without a person.
    create index runs_automatic on runs (tenant, currency, created_at) where automatic;

    -- One row per caller key, kept for good (R3).
    create table refund_requests (
      tenant text not null,
      idempotency_key text not null,
      fingerprint text not null,
      run_id text not null unique,
      created_at timestamptz not null default clock_timestamp(),
      primary key (tenant, idempotency_key)
    );

    -- The journal of side effects, written before the call (R1).
    create table effects (
      key text primary key,
      tenant text not null,
      run_id text not null references runs (run_id),
      step text not null,
      request text not null,
      state text not null check (state in ('sent', 'unknown', 'succeeded', 'pending', 'failed', 'refused')),
      attempts integer not null default 1,
      first_sent_at timestamptz not null default clock_timestamp(),
      provider_id text,
      error_code text,
      updated_at timestamptz not null default clock_timestamp()
    );
    create index effects_by_run on effects (run_id);

    create table approvals (
      id text primary key,
      tenant text not null references tenants (id),
      run_id text not null unique references runs (run_id),
      epoch text not null,
      status text not null check (status in ('open', 'approved', 'rejected', 'expired', 'cancelled')),
      approver_group text not null,
      amount bigint not null,
      currency text not null,
      -- The pure state machine's own state: revision, hash, votes, needed, deadline.
      state jsonb not null,
      facts jsonb not null default '{}',
      opened_at timestamptz not null,
      deadline timestamptz not null,
      version integer not null default 1
    );
    create index approvals_inbox on approvals (tenant, status, opened_at, id);
    create index approvals_inbox_group on approvals (tenant, status, approver_group, opened_at, id);

    create table approval_revisions (
      approval_id text not null references approvals (id),
      revision integer not null,
      tenant text not null,
      proposal_hash text not null unique,
      arguments jsonb not null,
      proposed_by text not null,
      primary key (approval_id, revision)
    );

    create table decisions (
      approval_id text not null,
      decision_id text not null,
      tenant text not null,
      run_id text not null,
      content text not null,
      decision jsonb not null,
      comment text,
      channel text not null,
      received_at timestamptz not null,
      status text not null check (status in ('recorded', 'applied', 'refused', 'voided')),
      outcome jsonb,
      epoch text,
      primary key (approval_id, decision_id)
    );

    create table notifications (
      key text primary key,
      tenant text not null,
      run_id text not null,
      recipient text,
      template text not null,
      data jsonb not null,
      created_at timestamptz not null default clock_timestamp()
    );

    -- Deliveries to Temporal that are owed: a start, a decision, a cancel. Ids only, no personal data.
    create table outbox (
      id bigint generated always as identity primary key,
      tenant text not null,
      run_id text not null,
      kind text not null check (kind in ('start', 'decision', 'cancel')),
      ref text not null,
      created_at timestamptz not null default clock_timestamp(),
      unique (run_id, kind, ref)
    );

    -- Live watchers. A notification serializes commits, so the phases that pass within milliseconds send none.
    create function run_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify('countersign_runs', new.run_id);
      return null;
    end $$;
    create trigger run_phase_changed after update of phase on runs
      for each row when (old.phase is distinct from new.phase and new.phase not in ('executing', 'settling'))
      execute function run_notify();

    -- A token is looked up before its tenant is known; only its hash opens the row.
    create function authenticate(presented_hash text)
      returns table (tenant text, id text, kind text, display_name text, groups text[], limit_major numeric)
      language sql stable security definer set search_path = public as $$
      select p.tenant, p.id, p.kind, p.display_name, p.groups, p.limit_major
      from api_keys k join principals p on p.tenant = k.tenant and p.id = k.principal_id
      where k.token_hash = presented_hash and k.revoked_at is null and p.active
    $$;
    revoke all on function authenticate(text) from public;
    grant execute on function authenticate(text) to countersign_app;
  `.execute(db);

  for (const table of [
    'principals',
    'policies',
    'payments',
    'runs',
    'refund_requests',
    'effects',
    'approvals',
    'approval_revisions',
    'decisions',
    'notifications',
  ]) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }

  await sql`
    grant usage on schema public to countersign_app;
    grant select on tenants, principals, policies, channel_keys to countersign_app;
    grant select, insert, update on payments, runs, effects, approvals, decisions to countersign_app;
    grant select, insert on refund_requests, approval_revisions, notifications to countersign_app;
    grant select, insert, delete on outbox to countersign_app;
  `.execute(db);
}

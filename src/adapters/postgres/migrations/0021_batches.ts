import { sql, type Kysely } from 'kysely';

/**
 * Thousands of refunds or documents as one run: the batch, and where each of its rows stands. What a row says is kept
 * until it has been started; after that its run, or its document, has it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table batches (
      batch_id text primary key,
      tenant text not null references tenants (id),
      kind text not null check (kind in ('refunds', 'documents')),
      requester text not null,
      on_behalf_of text,
      approval text not null check (approval in ('manifest', 'each')),
      dry_run boolean not null,
      state text not null default 'checking' check (state in ('checking', 'waiting_approval', 'running', 'validated',
        'completed', 'rejected', 'expired', 'cancelled')),
      rows integer not null check (rows > 0),
      -- Of refunds: the sum of what the file asks for, minor units, and the reason that most rows have.
      amount bigint,
      currency text,
      reason text,
      paused_by text,
      paused_at timestamptz,
      cancelled_by text,
      -- Over every row that may run, frozen before people are asked.
      manifest_hash text,
      summary jsonb,
      created_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz,
      check ((paused_by is null) = (paused_at is null)),
      check ((kind = 'refunds') = (amount is not null and currency is not null and reason is not null))
    );
    create index batches_list on batches (tenant, created_at desc, batch_id desc);

    create table batch_items (
      batch_id text not null references batches (batch_id),
      -- The row of the file, from 1.
      row integer not null check (row > 0),
      tenant text not null,
      state text not null check (state in ('unchecked', 'ready', 'admitted', 'started', 'done', 'left_out')),
      -- The caller's own name of it: his key, or the document.
      name text,
      run_id text,
      payment_id text,
      amount bigint,
      currency text,
      fingerprint text,
      content jsonb,
      -- Why it was left out, or what became of a document.
      code text,
      detail text,
      updated_at timestamptz not null default clock_timestamp(),
      primary key (batch_id, row),
      check (content is null or state in ('unchecked', 'ready', 'admitted')),
      check ((state = 'left_out') <= (code is not null))
    );
    create index batch_items_by_state on batch_items (batch_id, state, row);
    create index batch_items_by_payment on batch_items (batch_id, payment_id) where payment_id is not null;
    create index batch_items_by_run on batch_items (run_id) where run_id is not null;

    alter table runs add column batch_id text references batches (batch_id);
    create index runs_moving_in_batch on runs (batch_id)
      where batch_id is not null and phase in ('validating', 'executing', 'settling');

    -- A manifest is approved like a refund, and is none: its approval is of a batch.
    alter table approvals drop constraint approvals_run_id_fkey;
    create function approval_has_its_subject() returns trigger language plpgsql as $$
    begin
      if not exists (select from runs where run_id = new.run_id) and not exists (select from batches where batch_id = new.run_id) then
        raise exception 'an approval is of a refund or of a batch' using errcode = '23503';
      end if;
      return null;
    end $$;
    create trigger approval_has_its_subject after insert on approvals for each row execute function approval_has_its_subject();

    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check
      check (kind in ('start', 'decision', 'cancel', 'review', 'news', 'erasure', 'batch'));
  `.execute(db);

  for (const table of ['batches', 'batch_items']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }
  await sql`
    grant select, insert on batches, batch_items to countersign_app;
    grant update (on_behalf_of, state, paused_by, paused_at, cancelled_by, manifest_hash, summary, ended_at)
      on batches to countersign_app;
    grant update (state, name, run_id, payment_id, content, code, detail, updated_at) on batch_items to countersign_app;
  `.execute(db);
}

import { sql, type Kysely } from 'kysely';

/**
 * Agent runs: the state of each, and apart from it what stands in the words of persons, which goes with its owner or by
 * age while the row of the key stays.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table agent_runs (
      run_id text primary key check (run_id ~ '^agr_[0-9a-f]{32}$'),
      tenant text not null references tenants (id),
      fingerprint text not null,
      requester text not null,
      key_id text not null,
      status text not null check (status in ('pending', 'running', 'paused', 'completed', 'failed', 'needs_review')),
      state jsonb not null,
      version integer not null default 1 check (version > 0),
      model_calls integer not null default 0,
      input_tokens bigint not null default 0,
      output_tokens bigint not null default 0,
      cost_micros bigint not null default 0,
      created_at timestamptz not null default clock_timestamp(),
      updated_at timestamptz not null default clock_timestamp(),
      unique (run_id, tenant)
    );
    create index agent_runs_newest on agent_runs (tenant, created_at desc, run_id desc);

    create table agent_run_texts (
      run_id text primary key,
      tenant text not null,
      owner text not null check (owner not in ('', '*')),
      goal text not null,
      on_behalf_of text,
      -- The refund that is proposed, as it was drafted first.
      proposal jsonb,
      created_at timestamptz not null default clock_timestamp(),
      foreign key (run_id, tenant) references agent_runs (run_id, tenant)
    );
    create index agent_run_texts_by_owner on agent_run_texts (tenant, owner);

    insert into owned_tables (place, table_name, kept_for, age, named, blanked, needed) values
      (58, 'agent_run_texts', 'turns', 't.created_at', 't::text ~ $2', null,
        'exists (select from agent_runs a where a.run_id = t.run_id and a.status not in (''completed'', ''failed''))');

    -- Another kind of delivery beside those that there are by now.
    do $$
    declare was text;
    begin
      select pg_get_constraintdef(oid) into strict was from pg_constraint
        where conname = 'outbox_kind_check' and conrelid = 'outbox'::regclass;
      alter table outbox drop constraint outbox_kind_check;
      execute 'alter table outbox add constraint outbox_kind_check ' || replace(was, 'ARRAY[', 'ARRAY[''agent''::text, ');
    end $$;
  `.execute(db);

  for (const table of ['agent_runs', 'agent_run_texts']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }
  await sql`
    grant select, insert, update (status, state, version, model_calls, input_tokens, output_tokens, cost_micros, updated_at)
      on agent_runs to countersign_app;
    grant select, insert, update (proposal) on agent_run_texts to countersign_app;
  `.execute(db);
}

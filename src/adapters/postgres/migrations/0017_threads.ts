import { sql, type Kysely } from 'kysely';

/**
 * Session memory: threads, their turns, and views of them that were computed once. Bound to one tenant and one owner per
 * transaction, as long-term memory is. Turns are only ever added: no grant changes or removes one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table threads (
      id text primary key check (id ~ '^thr_[0-9a-f]{32}$'),
      tenant text not null references tenants (id),
      owner text not null check (owner not in ('', '*')),
      title text,
      created_by text not null,
      -- How many turns there are, and the seq of the last one.
      last_seq integer not null default 0 check (last_seq >= 0),
      created_at timestamptz not null default clock_timestamp(),
      last_turn_at timestamptz,
      unique (id, tenant, owner)
    );
    create index threads_by_owner on threads (tenant, owner, created_at, id);

    create table thread_turns (
      thread_id text not null,
      seq integer not null check (seq > 0),
      tenant text not null,
      owner text not null,
      role text not null check (role in ('user', 'assistant', 'tool_call', 'tool_result', 'note')),
      text text not null,
      author text not null,
      client_message_id text,
      tool_call_id text check ((tool_call_id is not null) = (role in ('tool_call', 'tool_result'))),
      tool_name text check ((tool_name is not null) = (tool_call_id is not null)),
      run_id text,
      -- The ids and amounts in the text, as they stand there: closed ones are found by these (R52).
      mentions text[] not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (thread_id, seq),
      unique (thread_id, client_message_id),
      -- One call and one result to an id (R51).
      unique (thread_id, tool_call_id, role),
      foreign key (thread_id, tenant, owner) references threads (id, tenant, owner)
    );
    create index thread_turns_by_mention on thread_turns using gin (mentions);
    create index thread_turns_by_age on thread_turns (tenant, created_at);

    -- A view over turns 1 to up_to; the turns themselves stay as they are.
    create table thread_compactions (
      thread_id text not null,
      up_to integer not null check (up_to > 0),
      strategy text not null check (strategy in ('structured_summary', 'model_summary')),
      -- Of the form of the content: another version is computed anew.
      format integer not null,
      tenant text not null,
      owner text not null,
      content jsonb not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (thread_id, up_to, strategy, format),
      foreign key (thread_id, tenant, owner) references threads (id, tenant, owner)
    );

    -- The runs of a thread. Ids that don't begin so are those of somebody else's conversations.
    create index runs_by_thread on runs (tenant, (request ->> 'threadId'), created_at)
      where request ->> 'threadId' like 'thr\\_%';
  `.execute(db);

  for (const table of ['threads', 'thread_turns', 'thread_compactions']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy owner_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true))
        with check (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true));
    `.execute(db);
  }

  await sql`
    grant select, insert, update (last_seq, last_turn_at) on threads to countersign_app;
    grant select, insert on thread_turns, thread_compactions to countersign_app;
  `.execute(db);
}

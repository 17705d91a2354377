import { sql, type Kysely } from 'kysely';

/**
 * Long-term memory and the decisions of its gate. Row-level security binds the application to one tenant and one
 * owner per transaction (`countersign.tenant`, `countersign.owner`); with either unset it sees no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Every candidate's fate. No value and no hash of one: a card number is soon guessed from its hash (R44).
    create table memory_decisions (
      id text primary key,
      tenant text not null references tenants (id),
      owner text not null check (owner not in ('', '*')),
      request_key text,
      kind text,
      -- Null when the candidate had no well-formed key, or one that may not be stored.
      key text,
      allowed boolean not null,
      rule_ids text[] not null check (cardinality(rule_ids) > 0),
      policy_version text not null,
      reason text not null,
      actor text not null,
      actor_kind text not null check (actor_kind in ('person', 'service', 'agent', 'workflow')),
      decided_at timestamptz not null default clock_timestamp(),
      check (not allowed or (kind is not null and key is not null)),
      unique (tenant, owner, request_key),
      unique (id, tenant, owner, kind, key, allowed)
    );
    create index memory_decisions_by_owner on memory_decisions (tenant, owner, decided_at);

    create table memories (
      id text primary key,
      tenant text not null references tenants (id),
      owner text not null check (owner not in ('', '*')),
      kind text not null check (kind in ('semantic', 'episodic', 'procedural')),
      key text not null,
      value text not null,
      source text not null check (source in ('user_explicit', 'inferred', 'tool', 'document', 'operator')),
      confidence double precision not null check (confidence between 0 and 1),
      evidence jsonb not null,
      personal boolean not null,
      created_at timestamptz not null default clock_timestamp(),
      valid_from timestamptz not null,
      valid_to timestamptz check (valid_to >= valid_from),
      superseded_by text unique check (superseded_by <> id) references memories (id) deferrable initially deferred,
      expires_at timestamptz,
      version integer not null check (version > 0),
      decision_id text not null unique,
      -- With the key below: no row without an allowing decision about this very owner, kind and key (R42).
      decision_allowed boolean not null default true check (decision_allowed),
      foreign key (decision_id, tenant, owner, kind, key, decision_allowed)
        references memory_decisions (id, tenant, owner, kind, key, allowed),
      check ((valid_to is null) = (superseded_by is null)),
      unique (tenant, owner, kind, key, version)
    );
    create unique index memories_live on memories (tenant, owner, kind, key) where valid_to is null;

    -- That something was forgotten, without saying what (R49).
    create table memory_tombstones (
      memory_id text primary key,
      tenant text not null references tenants (id),
      owner text not null,
      versions integer not null,
      actor text not null,
      forgotten_at timestamptz not null default clock_timestamp()
    );

    create function memories_close_once() returns trigger language plpgsql as $$
    begin
      if old.valid_to is not null then
        raise exception 'a closed memory stays as it is';
      end if;
      return new;
    end $$;
    create trigger memories_close_once before update on memories for each row execute function memories_close_once();
  `.execute(db);

  for (const table of ['memory_decisions', 'memories', 'memory_tombstones']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy owner_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true))
        with check (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true));
    `.execute(db);
  }

  await sql`
    grant select, insert on memory_decisions, memory_tombstones to countersign_app;
    grant select, insert, delete, update (valid_to, superseded_by) on memories to countersign_app;
  `.execute(db);
}

import { sql, type Kysely } from 'kysely';

/** What the code said until then about memory, so that a policy from before its rules spoke of it means what it meant. */
const rulesUntilThen = `
@id("remember-explicit")
permit (principal, action == Action::"remember", resource)
when { resource.source == "user_explicit" };

@id("remember-asked")
permit (principal, action == Action::"remember", resource)
when { resource.source == "inferred" && resource.asked };

@id("remember-outcome")
permit (principal is Workflow, action == Action::"remember", resource)
when { resource.source == "tool" && resource.kind == "episodic" };

@id("suggest-procedure")
permit (principal, action == Action::"suggest", resource)
when { resource.kind == "procedural" };

@id("review-memory")
permit (principal in Group::"admins", action == Action::"review_memory", resource);

@id("forget-own")
permit (principal, action == Action::"forget", resource)
when { resource.own };

@id("forget-for-users")
permit (principal is Service, action == Action::"forget", resource);

@id("forget-any")
permit (principal in Group::"admins", action == Action::"forget", resource);
`;

/**
 * Candidates that wait for a person, holds on memories and on whole sources, and the moment at which what was inferred
 * fades. Candidates, holds and sources are looked through for a whole tenant, so row-level security binds them to it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table memories add column fades_at timestamptz;
    update memories set fades_at = valid_from + greatest(0, ln(confidence / 0.25) / ln(2)) * interval '90 days'
      where source = 'inferred' and valid_to is null and confidence > 0;

    -- No value once it is decided: what was approved stands in memories, what was refused stands nowhere.
    create table memory_candidates (
      id text primary key,
      tenant text not null references tenants (id),
      owner text not null check (owner not in ('', '*')),
      decision_id text not null unique references memory_decisions (id),
      kind text not null,
      key text not null,
      value text,
      source text not null,
      confidence double precision not null,
      evidence jsonb not null,
      personal boolean not null,
      expires_at timestamptz,
      proposed_by text not null,
      proposed_by_kind text not null,
      rule_ids text[] not null,
      proposal_hash text not null,
      status text not null default 'waiting'
        check (status in ('waiting', 'approved', 'rejected', 'expired', 'replaced', 'revoked')),
      created_at timestamptz not null default clock_timestamp(),
      deadline timestamptz not null,
      decided_at timestamptz,
      decided_by text check (decided_by <> proposed_by or status <> 'approved'),
      comment text,
      memory_id text,
      check ((status = 'waiting') = (value is not null)),
      check ((status = 'waiting') = (decided_at is null))
    );
    create unique index memory_candidates_waiting on memory_candidates (tenant, owner, kind, key, proposed_by)
      where status = 'waiting';
    create index memory_candidates_by_time on memory_candidates (tenant, status, created_at, id);

    -- Where memories come from and what is held because of it; a source that is held teaches nothing more.
    create table memory_sources (
      id text primary key,
      tenant text not null references tenants (id),
      kind text not null check (kind in ('turn', 'run', 'tool', 'document', 'memory')),
      ref text not null,
      hold text not null check (hold in ('quarantine', 'revocation')),
      reason text not null,
      comment text,
      actor text not null,
      held_at timestamptz not null default clock_timestamp(),
      ended_at timestamptz,
      ended_by text,
      check ((ended_at is null) = (ended_by is null))
    );
    create unique index memory_sources_held on memory_sources (tenant, kind, ref, hold) where ended_at is null;

    -- While one of them is open, the memory is not believed. A revocation is never taken back.
    create table memory_holds (
      id text primary key,
      memory_id text not null references memories (id) on delete cascade,
      tenant text not null references tenants (id),
      owner text not null,
      hold text not null check (hold in ('quarantine', 'revocation')),
      source_id text references memory_sources (id),
      reason text not null,
      comment text,
      actor text not null,
      held_at timestamptz not null,
      ended_at timestamptz,
      ended_by text,
      check ((ended_at is null) = (ended_by is null)),
      check (hold = 'quarantine' or ended_at is null)
    );
    create unique index memory_holds_open on memory_holds (memory_id, hold, coalesce(source_id, '')) where ended_at is null;
    create index memory_holds_by_memory on memory_holds (memory_id);
    create index memory_holds_by_time on memory_holds (tenant, held_at, id) where ended_at is null;

    -- Memories of all owners are bound to one owner each by row-level security; ids and owners alone come back.
    create function memories_learnt_from(source_kind text, source_ref text)
      returns table (id text, owner text, live boolean)
      language sql stable security definer set search_path = public as $$
      select m.id, m.owner, m.valid_to is null from memories m
      where m.tenant = current_setting('countersign.tenant', true)
        and exists (select 1 from jsonb_array_elements(m.evidence) e
          where e ->> 'kind' = source_kind
            and (e ->> 'ref' = source_ref or left(e ->> 'ref', length(source_ref) + 1) in (source_ref || '#', source_ref || '/')))
    $$;
    revoke all on function memories_learnt_from(text, text) from public;
    grant execute on function memories_learnt_from(text, text) to countersign_app;

    grant select, insert on memory_candidates, memory_sources, memory_holds to countersign_app;
    grant update (status, value, decided_at, decided_by, comment, memory_id) on memory_candidates to countersign_app;
    grant update (ended_at, ended_by) on memory_sources, memory_holds to countersign_app;
  `.execute(db);

  for (const table of ['memory_candidates', 'memory_sources', 'memory_holds']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }

  await sql`
    do $$
    declare old text := (select pg_get_expr(adbin, adrelid) from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid
      and a.attnum = d.adnum where d.adrelid = 'policies'::regclass and a.attname = 'cedar');
    begin
      execute 'alter table policies alter column cedar set default ' || old || ' || ' || quote_literal(${sql.lit(rulesUntilThen)});
    end $$;
  `.execute(db);
  await publishMemoryRules(db);
}

/** A version is never changed: a tenant whose newest says nothing of memory gets another one, of the same table and rules. */
export async function publishMemoryRules(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into policies (tenant, version, document, cedar, cases, comment)
      select tenant, version || '-memory', document, cedar || ${sql.lit(rulesUntilThen)}, cases,
        'the rules about memory, as the code said until then'
      from policies newest
      where number = (select max(number) from policies p where p.tenant = newest.tenant)
        and cedar !~ 'Action::"(remember|suggest|review_memory|forget)"'
        and length(cedar) + length(${sql.lit(rulesUntilThen)}) <= 32768
      on conflict do nothing;
  `.execute(db);
}

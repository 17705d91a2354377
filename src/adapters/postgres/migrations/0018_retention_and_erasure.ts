import { sql, type Kysely } from 'kysely';

/**
 * How long things are kept, legal holds, and erasures of persons. The application's login removes rows of persons only
 * through the two functions below: one for the person of an erasure that is confirmed, one for what is older than the
 * tenant's own rule. Neither reaches what is under a legal hold.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When what it held of persons was taken away, by an erasure or by age.
    alter table runs add column erased_at timestamptz;
    create index runs_to_erase on runs (tenant, updated_at) where erased_at is null;
    grant update (request) on refund_splits to countersign_app;

    create table retention_rules (
      tenant text primary key references tenants (id),
      run_days integer not null check (run_days between 1 and 36500),
      memory_days integer not null check (memory_days between 1 and 36500),
      turn_days integer not null check (turn_days between 1 and 36500),
      version integer not null,
      changed_by text not null,
      changed_at timestamptz not null default clock_timestamp()
    );
    -- The tenant's rule, or what holds where it has set none.
    create function retention_now()
      returns table (run_days integer, memory_days integer, turn_days integer, version integer, changed_by text, changed_at timestamptz)
      language sql stable set search_path = public as $$
      select coalesce(r.run_days, 30), coalesce(r.memory_days, 1095), coalesce(r.turn_days, 90),
        coalesce(r.version, 0), r.changed_by, r.changed_at
      from (select current_setting('countersign.tenant', true) as tenant) mine left join retention_rules r using (tenant)
    $$;

    create table legal_holds (
      id text primary key,
      tenant text not null references tenants (id),
      scope text not null check (scope in ('tenant', 'person', 'run')),
      -- A person's or a run's id; a person's goes when the hold is released.
      subject text check (subject is not null or scope <> 'run'),
      reason text not null,
      placed_by text not null,
      placed_at timestamptz not null default clock_timestamp(),
      released_by text,
      released_at timestamptz,
      check ((released_at is null) = (released_by is null)),
      check (scope <> 'person' or (subject is null) = (released_at is not null)),
      check (scope <> 'tenant' or subject is null)
    );
    create index legal_holds_open on legal_holds (tenant, scope, subject) where released_at is null;

    create table erasures (
      id text primary key,
      tenant text not null references tenants (id),
      -- Whose data it is. Gone when it is finished or given up: what stays is a tombstone without content.
      subject text,
      -- Asked for by the person himself, which takes nobody's confirmation.
      own boolean not null,
      state text not null check (state in ('unconfirmed', 'erasing', 'finished', 'cancelled')),
      requested_by text not null,
      requested_at timestamptz not null default clock_timestamp(),
      confirmed_by text,
      -- Codes and counts: what keeps it from being finished.
      waiting_for jsonb not null default '[]',
      report jsonb,
      finished_at timestamptz,
      check ((subject is null) = (state in ('finished', 'cancelled'))),
      check ((state = 'unconfirmed') <= (confirmed_by is null)),
      check ((state in ('erasing', 'finished')) <= (confirmed_by is not null)),
      constraint erasures_four_eyes check (own or confirmed_by is null or confirmed_by <> requested_by)
    );
    create unique index erasures_open on erasures (tenant, subject) where subject is not null;
    create index erasures_newest on erasures (tenant, requested_at desc, id desc);
    create function erasure_keeps_subject() returns trigger language plpgsql as $$
    begin
      if new.subject is not null and new.subject is distinct from old.subject or old.state in ('finished', 'cancelled') then
        raise exception 'an erasure is of one person, and is over when it is over' using errcode = '42501';
      end if;
      return new;
    end $$;
    create trigger erasure_keeps_subject before update on erasures for each row execute function erasure_keeps_subject();

    alter table outbox drop constraint outbox_kind_check;
    alter table outbox add constraint outbox_kind_check
      check (kind in ('start', 'decision', 'cancel', 'review', 'news', 'erasure'));
  `.execute(db);

  for (const table of ['retention_rules', 'legal_holds', 'erasures']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }

  await sql`
    grant select, insert, update on retention_rules to countersign_app;
    grant select, insert, update (subject, released_by, released_at) on legal_holds to countersign_app;
    grant select, insert, update (subject, state, confirmed_by, waiting_for, report, finished_at) on erasures to countersign_app;

    -- A person's id where it stands alone: not within a longer id, address or word. Ids that name people behind a
    -- service are kept in lower case.
    create function mention_of(subject text) returns text
      language sql immutable set search_path = pg_catalog as $$
      select '(?<![[:alnum:]_-])(?<![[:alnum:]][.+@])('
        || string_agg(regexp_replace(spelling, '([^[:alnum:]_])', '\\\\\\1', 'g'), '|')
        || ')(?![[:alnum:]_-])(?![.+@][[:alnum:]])'
      from (select subject as spelling union select lower(subject)) s
    $$;

    -- How many rows of this tenant name somebody, in whatever column. It tells a number and nothing else.
    create function count_mentions(of_table text, subject text) returns bigint
      language plpgsql stable security definer set search_path = public as $$
    declare found_rows bigint;
    begin
      if not exists (select from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname = of_table
          and a.attname = 'tenant' and not a.attisdropped) then
        raise exception 'no table of tenants: %', of_table using errcode = '42P01';
      end if;
      execute format('select count(*) from %I t where t.tenant = current_setting(''countersign.tenant'', true) and t::text ~ $1', of_table)
        into found_rows using mention_of(subject);
      return found_rows;
    end $$;
    revoke all on function count_mentions(text, text) from public;
    grant execute on function count_mentions(text, text) to countersign_app;
  `.execute(db);
  await ownedRows(db);
}

/**
 * Tables whose rows belong to one person each, in the order in which rows can be removed. Another such table is one more
 * row here, by its own migration; those that are not there are left out.
 */
async function ownedRows(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table owned_tables (
      place integer primary key,
      table_name text not null unique,
      kept_for text not null check (kept_for in ('memory', 'turns')),
      -- SQL over a row t. How old it is:
      age text not null,
      -- Whether it names a person ($2) although it is another's:
      named text not null default 't::text ~ $2',
      -- What is set where it does; without it, the row is removed.
      blanked text,
      -- Whether something that is kept still needs it:
      needed text not null default 'false'
    );
    grant select on owned_tables to countersign_app;

    insert into owned_tables (place, table_name, kept_for, age, named, blanked, needed)
    select * from (values
      (10, 'memory_holds', 'memory', 't.held_at', 'false', null, 'exists (select from memories m where m.id = t.memory_id)'),
      (20, 'memory_candidates', 'memory', 't.created_at', 't::text ~ $2', null, 't.status = ''waiting'''),
      (30, 'memories', 'memory', 't.created_at',
        'exists (select from memories m join memory_decisions d on d.id = m.decision_id
          where (m.tenant, m.owner, m.kind, m.key) = (t.tenant, t.owner, t.kind, t.key) and (m::text ~ $2 or d::text ~ $2))',
        null, 'false'),
      (40, 'memory_decisions', 'memory', 't.decided_at', 't::text ~ $2', null,
        'exists (select from memories m where m.decision_id = t.id)'),
      (50, 'memory_tombstones', 'memory', 't.forgotten_at', 't::text ~ $2', null, 'false'),
      (60, 'thread_compactions', 'turns',
        '(select coalesce(h.last_turn_at, h.created_at) from threads h where h.id = t.thread_id)', 't::text ~ $2', null, 'false'),
      (70, 'thread_turns', 'turns',
        '(select coalesce(h.last_turn_at, h.created_at) from threads h where h.id = t.thread_id)', 't::text ~ $2',
        'text = ''(erased)'', mentions = ''{}''', 'false'),
      (80, 'threads', 'turns', 'coalesce(t.last_turn_at, t.created_at)', 't::text ~ $2', 'title = ''(erased)''',
        'exists (select from thread_turns u where u.thread_id = t.id)')
    ) as known (place, table_name, kept_for, age, named, blanked, needed)
    where to_regclass('public.' || table_name) is not null;
    -- A candidate that is kept needs its decision as well.
    update owned_tables set needed = needed || ' or exists (select from memory_candidates c where c.decision_id = t.id)'
      where table_name = 'memory_decisions' and to_regclass('public.memory_candidates') is not null;

    create function is_held(of_scope text, of_subject text) returns boolean
      language sql stable set search_path = public as $$
      select exists (select from legal_holds
        where tenant = current_setting('countersign.tenant', true) and released_at is null
          and (scope = 'tenant' or (scope = of_scope and subject = of_subject)))
    $$;

    -- One person's rows of one table, and other people's rows that name him, unless he is one whose handle stands for
    -- what he did. Only for an erasure that is confirmed.
    create function erase_rows(of_table text, erasure text) returns bigint
      language plpgsql security definer set search_path = public as $$
    declare
      plan owned_tables%rowtype;
      mine text := current_setting('countersign.tenant', true);
      who text;
      removed bigint;
      more bigint := 0;
    begin
      select * into strict plan from owned_tables where table_name = of_table;
      select subject into who from erasures where id = erasure and tenant = mine and state = 'erasing';
      if who is null or is_held('person', who) then
        raise exception 'no erasure that may go on' using errcode = '42501';
      end if;
      execute format('delete from %I t where t.tenant = $1 and t.owner = $2', of_table) using mine, who;
      get diagnostics removed = row_count;
      if not exists (select from principals where tenant = mine and lower(id) = lower(who)) then
        if plan.blanked is null then
          execute format('delete from %I t where t.tenant = $1 and %s', of_table, plan.named) using mine, mention_of(who);
        else
          execute format('update %I t set %s where t.tenant = $1 and %s', of_table, plan.blanked, plan.named)
            using mine, mention_of(who);
        end if;
        get diagnostics more = row_count;
      end if;
      return removed + more;
    end $$;
    revoke all on function erase_rows(text, text) from public;
    grant execute on function erase_rows(text, text) to countersign_app;

    -- What is older than the tenant keeps it, oldest first; or, not really, how many rows that is.
    create function sweep_rows(of_table text, at_most integer, really boolean) returns bigint
      language plpgsql security definer set search_path = public as $$
    declare
      plan owned_tables%rowtype;
      rule record;
      mine text := current_setting('countersign.tenant', true);
      held text[];
      condition text;
      swept bigint;
    begin
      select * into strict plan from owned_tables where table_name = of_table;
      select * into strict rule from retention_now();
      if is_held('tenant', null) then
        return 0;
      end if;
      held := array(select subject from legal_holds where tenant = mine and scope = 'person' and released_at is null);
      condition := format('t.tenant = $1 and %s < clock_timestamp() - make_interval(days => $2) and t.owner <> all ($3) and not (%s)',
        plan.age, plan.needed);
      if really then
        execute format('delete from %I where ctid = any (array(select t.ctid from %I t where %s order by %s limit $4))',
          of_table, of_table, condition, plan.age)
          using mine, case plan.kept_for when 'memory' then rule.memory_days else rule.turn_days end, held, at_most;
        get diagnostics swept = row_count;
      else
        execute format('select count(*) from %I t where %s', of_table, condition) into swept
          using mine, case plan.kept_for when 'memory' then rule.memory_days else rule.turn_days end, held;
      end if;
      return swept;
    end $$;
    revoke all on function sweep_rows(text, integer, boolean) from public;
    grant execute on function sweep_rows(text, integer, boolean) to countersign_app;
  `.execute(db);
}

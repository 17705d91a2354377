import { sql, type Kysely } from 'kysely';

/**
 * People, groups, API keys and channel keys as things that a tenant's administrators manage. The application may add
 * and change them within its tenant, never delete a person or a key, never read a token's hash, and never bring back
 * what was revoked. The first administrator, and a tenant itself, is the owner's to make.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table tenants
      add column active boolean not null default true,
      add column version integer not null default 1,
      add column created_at timestamptz not null default clock_timestamp();
    alter table tenants enable row level security;
    create policy seen on tenants for select to countersign_app using (true);
    create policy own on tenants for update to countersign_app
      using (id = current_setting('countersign.tenant', true))
      with check (id = current_setting('countersign.tenant', true));
    grant update (name, version) on tenants to countersign_app;

    alter table principals
      add column version integer not null default 1,
      add column created_at timestamptz not null default clock_timestamp(),
      add column updated_at timestamptz not null default clock_timestamp();
    -- One person has one name, in whatever letter case somebody writes it.
    create unique index principals_one_spelling on principals (tenant, lower(id));
    grant insert on principals to countersign_app;
    grant update (display_name, groups, limit_major, active, version, updated_at) on principals to countersign_app;

    create table groups (
      tenant text not null references tenants (id),
      name text not null check (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
      description text not null default '',
      version integer not null default 1,
      primary key (tenant, name)
    );
    alter table groups enable row level security;
    create policy tenant_scope on groups to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant select, insert, delete on groups to countersign_app;
    grant update (description, version) on groups to countersign_app;
    insert into groups (tenant, name)
      select distinct tenant, unnest(groups) from principals on conflict do nothing;

    alter table api_keys
      add column id text not null default 'key_' || replace(gen_random_uuid()::text, '-', '') unique,
      add column name text not null default 'first',
      -- '*' is every door: keys from before there were scopes, and those of the embedded setup.
      add column scopes text[] not null default '{*}' check (cardinality(scopes) > 0),
      add column created_by text not null default 'countersign',
      add column created_at timestamptz not null default clock_timestamp(),
      -- Null while a second administrator has to confirm it; such a key opens nothing.
      add column confirmed_by text default 'countersign',
      add column expires_at timestamptz,
      add column replaced_by text references api_keys (id) deferrable initially deferred,
      -- To the hour, so that reading a refund does not write.
      add column last_used_at timestamptz;
    alter table api_keys alter column scopes drop default, alter column confirmed_by drop default;
    create index api_keys_of_person on api_keys (tenant, principal_id, created_at);
    alter table api_keys enable row level security;
    create policy tenant_scope on api_keys to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant insert on api_keys to countersign_app;
    grant select (id, tenant, principal_id, name, scopes, created_by, created_at, confirmed_by, expires_at, replaced_by,
      last_used_at, revoked_at) on api_keys to countersign_app;
    grant update (confirmed_by, expires_at, replaced_by, revoked_at) on api_keys to countersign_app;

    alter table channel_keys drop constraint channel_keys_pkey;
    alter table channel_keys
      add column channel text not null default 'countersign',
      add column created_by text not null default 'countersign',
      add column created_at timestamptz not null default clock_timestamp(),
      -- Null while another administrator has to confirm it; what such a key signs proves nothing.
      add column confirmed_by text default 'owner',
      add column expires_at timestamptz,
      add column replaced_by text;
    -- A channel says who decided, so its key takes two administrators.
    alter table channel_keys alter column confirmed_by drop default,
      add constraint channel_keys_four_eyes check (tenant is null or confirmed_by is null or confirmed_by <> created_by);
    -- Without a tenant: Countersign's own. A service may sign for two tenants with one key, which each registers.
    create unique index channel_keys_kid on channel_keys (coalesce(tenant, ''), kid);
    alter table channel_keys enable row level security;
    create policy tenant_scope on channel_keys to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    -- Countersign's own public keys are for everybody who verifies.
    create policy countersigns_own on channel_keys for select to countersign_app using (tenant is null);
    grant insert on channel_keys to countersign_app;
    grant update (confirmed_by, expires_at, replaced_by, revoked_at) on channel_keys to countersign_app;

    -- Whatever the application believes: revoked is revoked, and an end comes nearer, never farther away.
    create function key_ends_once() returns trigger language plpgsql as $$
    begin
      if old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at then
        raise exception 'a revoked key stays revoked' using errcode = '42501';
      end if;
      if old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at) then
        raise exception 'a key does not live longer than it was given' using errcode = '42501';
      end if;
      return new;
    end $$;
    create trigger key_ends_once before update on api_keys for each row execute function key_ends_once();
    create trigger key_ends_once before update on channel_keys for each row execute function key_ends_once();

    -- A token is looked up before its tenant is known; only its hash opens the row.
    drop function authenticate(text);
    create function authenticate(presented_hash text)
      returns table (tenant text, id text, kind text, display_name text, groups text[], limit_major numeric,
        key_id text, scopes text[], expires_at timestamptz, used_lately boolean)
      language sql stable security definer set search_path = public as $$
      select p.tenant, p.id, p.kind, p.display_name, p.groups, p.limit_major,
        k.id, k.scopes, k.expires_at, coalesce(k.last_used_at >= date_trunc('hour', clock_timestamp()), false)
      from api_keys k
        join principals p on p.tenant = k.tenant and p.id = k.principal_id
        join tenants t on t.id = k.tenant
      where k.token_hash = presented_hash and k.revoked_at is null and k.confirmed_by is not null
        and (k.expires_at is null or k.expires_at > clock_timestamp()) and p.active and t.active
    $$;
    revoke all on function authenticate(text) from public;
    grant execute on function authenticate(text) to countersign_app;

    create function key_was_used(used_id text) returns void
      language sql volatile security definer set search_path = public as $$
      update api_keys set last_used_at = date_trunc('hour', clock_timestamp())
      where id = used_id and (last_used_at is null or last_used_at < date_trunc('hour', clock_timestamp()))
    $$;
    revoke all on function key_was_used(text) from public;
    grant execute on function key_was_used(text) to countersign_app;

    -- A signature names its key; only that name opens the row, and only the tenant's own or Countersign's.
    create function channel_key(of_tenant text, of_kid text)
      returns table (tenant text, channel text, public_jwk jsonb, expires_at timestamptz, revoked_at timestamptz)
      language sql stable security definer set search_path = public as $$
      select tenant, channel, public_jwk, expires_at, revoked_at from channel_keys
      where kid = of_kid and (tenant is null or tenant = of_tenant) and confirmed_by is not null order by tenant nulls first limit 1
    $$;
    revoke all on function channel_key(text, text) from public;
    grant execute on function channel_key(text, text) to countersign_app;
  `.execute(db);
}

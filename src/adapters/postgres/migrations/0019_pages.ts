import { sql, type Kysely } from 'kysely';

/** What the pages need: sessions of signed-in people, sign-ins that failed, and news of the inbox by tenant. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The browser has a random secret, this table its hash. A session stands on the key that opened it.
    create table web_sessions (
      id text primary key,
      tenant text not null references tenants (id),
      key_id text not null references api_keys (id),
      time_zone text,
      created_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp(),
      expires_at timestamptz not null
    );
    create index web_sessions_of_key on web_sessions (tenant, key_id);
    alter table web_sessions enable row level security;
    create policy tenant_scope on web_sessions to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant select (id, tenant, key_id, seen_at, expires_at), delete on web_sessions to countersign_app;
    grant insert (id, tenant, key_id, time_zone, expires_at), update (time_zone) on web_sessions to countersign_app;

    -- Looked up before its tenant is known; only the hash opens the row, and only while the key would open too.
    create function web_session(presented text, idle interval)
      returns table (tenant text, id text, kind text, display_name text, groups text[], limit_major numeric,
        key_id text, scopes text[], expires_at timestamptz, time_zone text, seen_lately boolean)
      language sql stable security definer set search_path = public as $$
      select p.tenant, p.id, p.kind, p.display_name, p.groups, p.limit_major,
        k.id, k.scopes, k.expires_at, s.time_zone, s.seen_at > clock_timestamp() - idle / 60
      from web_sessions s
        join api_keys k on k.id = s.key_id and k.tenant = s.tenant
        join principals p on p.tenant = k.tenant and p.id = k.principal_id
        join tenants t on t.id = k.tenant
      where s.id = presented and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - idle
        and k.revoked_at is null and k.confirmed_by is not null
        and (k.expires_at is null or k.expires_at > clock_timestamp()) and p.active and t.active
    $$;
    revoke all on function web_session(text, interval) from public;
    grant execute on function web_session(text, interval) to countersign_app;

    create function web_session_seen(presented text) returns void
      language sql volatile security definer set search_path = public as $$
      update web_sessions set seen_at = clock_timestamp() where id = presented
    $$;
    revoke all on function web_session_seen(text) from public;
    grant execute on function web_session_seen(text) to countersign_app;

    -- Of no tenant: whoever fails to sign in belongs to none. The source is a hash of an address.
    create table sign_in_failures (source text not null, at timestamptz not null default clock_timestamp());
    create index sign_in_failures_by_source on sign_in_failures (source, at);
    grant select, insert (source), delete on sign_in_failures to countersign_app;

    create function tell_inbox() returns trigger language plpgsql as $$
    begin
      perform pg_notify('countersign_inbox', new.tenant);
      return null;
    end $$;
    create trigger tell_inbox after insert or update on approvals for each row execute function tell_inbox();
  `.execute(db);
}

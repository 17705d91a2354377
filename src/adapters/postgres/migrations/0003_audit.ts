import { sql, type Kysely } from 'kysely';

/**
 * The audit log: one row per transition and refused attempt, hash-chained per run by its own trigger, so that no
 * writer can choose a number, a time or a hash. The database refuses every update and delete (R37).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audit (
      tenant text not null,
      run_id text not null,
      seq integer not null,
      at timestamptz not null,
      actor text not null,
      event text not null,
      -- The step and revision that wrote it: the same step twice writes one row.
      step text not null,
      before jsonb,
      after jsonb,
      reason text,
      policy_version text,
      effect_key text,
      provider_id text,
      prev_hash text not null,
      hash text not null,
      primary key (run_id, seq),
      unique (run_id, step)
    );
    create index audit_by_tenant on audit (tenant, at);

    create function audit_chain() returns trigger language plpgsql as $$
    declare
      head record;
    begin
      perform pg_advisory_xact_lock(hashtextextended(new.run_id, 7));
      select seq, hash into head from audit where run_id = new.run_id order by seq desc limit 1;
      new.seq := coalesce(head.seq, 0) + 1;
      new.prev_hash := coalesce(head.hash, repeat('0', 64));
      new.at := clock_timestamp();
      new.hash := encode(sha256(convert_to(
        jsonb_build_array(new.tenant, new.run_id, new.seq, extract(epoch from new.at)::text, new.actor, new.event, new.step,
          new.before, new.after, new.reason, new.policy_version, new.effect_key, new.provider_id, new.prev_hash)::text,
        'UTF8')), 'hex');
      return new;
    end $$;
    create trigger audit_chain before insert on audit for each row execute function audit_chain();

    create function audit_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'the audit log is append-only';
    end $$;
    create trigger audit_append_only before update or delete on audit for each row execute function audit_refuse();
    create trigger audit_no_truncate before truncate on audit for each statement execute function audit_refuse();

    alter table audit enable row level security;
    create policy tenant_scope on audit to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant select, insert on audit to countersign_app;
    -- The application says whether the schema is the one it was built for.
    grant select on kysely_migration to countersign_app;
  `.execute(db);
}

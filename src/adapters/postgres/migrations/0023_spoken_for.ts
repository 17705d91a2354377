import { sql, type Kysely } from 'kysely';

/** Beside the audit log and the memory gate's decisions: the human for whom a service or an agent did that. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The log itself names no such person, so that nothing of him stays in it for good.
    create table spoken_for (
      tenant text not null references tenants (id),
      -- The run whose audit row it is, with the row's step; or the decision of the memory gate.
      ref text not null,
      step text not null default '',
      on_behalf_of text,
      primary key (tenant, ref, step)
    );
    create index spoken_for_whom on spoken_for (tenant, on_behalf_of);
    alter table spoken_for enable row level security;
    create policy tenant_scope on spoken_for to countersign_app
      using (tenant = current_setting('countersign.tenant', true))
      with check (tenant = current_setting('countersign.tenant', true));
    grant select, insert, delete, update (on_behalf_of) on spoken_for to countersign_app;

    create function forget_spoken_for() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      delete from spoken_for where tenant = old.tenant and ref = old.id;
      return null;
    end $$;
    create trigger forget_spoken_for after delete on memory_decisions
      for each row execute function forget_spoken_for();
  `.execute(db);
}

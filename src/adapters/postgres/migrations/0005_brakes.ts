import { sql, type Kysely } from 'kysely';

/**
 * The kill switch: one row per tenant and one for all ('*'), the newest being what counts, and who pulled or released
 * it and why kept for good (R55). A tenant's administrator moves his own; the one for all is the owner's.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table brakes (
      id bigint generated always as identity primary key,
      scope text not null check (scope = '*' or scope ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
      engaged boolean not null,
      reason text not null,
      actor text not null,
      at timestamptz not null default clock_timestamp()
    );
    create index brakes_newest on brakes (scope, id desc);

    create trigger brakes_append_only before update or delete on brakes for each row execute function audit_refuse();
    create trigger brakes_no_truncate before truncate on brakes for each statement execute function audit_refuse();

    alter table brakes enable row level security;
    create policy seen on brakes for select to countersign_app
      using (scope = '*' or scope = current_setting('countersign.tenant', true));
    create policy own on brakes for insert to countersign_app
      with check (scope = current_setting('countersign.tenant', true));
    grant select, insert on brakes to countersign_app;
  `.execute(db);
}

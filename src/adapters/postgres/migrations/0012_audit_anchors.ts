import { sql, type Kysely } from 'kysely';

/**
 * Signed anchors over the ends of a tenant's chains, so that a tail that was cut off shows; append-only like the log.
 * The index serves whoever reads or verifies a whole tenant.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index audit_by_chain on audit (tenant, run_id, seq);

    create table audit_anchors (
      tenant text not null references tenants (id),
      seq integer not null,
      at timestamptz not null,
      jws text not null,
      primary key (tenant, seq)
    );
    create table audit_anchor_heads (
      tenant text not null,
      anchor integer not null,
      run_id text not null,
      seq integer not null,
      hash text not null,
      primary key (tenant, anchor, run_id),
      foreign key (tenant, anchor) references audit_anchors (tenant, seq)
    );
    create index audit_anchor_heads_by_run on audit_anchor_heads (tenant, run_id, seq desc);
  `.execute(db);
  for (const table of ['audit_anchors', 'audit_anchor_heads']) {
    const name = sql.table(table);
    await sql`
      create trigger append_only before update or delete on ${name} for each row execute function audit_refuse();
      create trigger no_truncate before truncate on ${name} for each statement execute function audit_refuse();
      alter table ${name} enable row level security;
      create policy tenant_scope on ${name} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
      grant select, insert on ${name} to countersign_app;
    `.execute(db);
  }
}

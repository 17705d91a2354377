import { sql, type Kysely } from 'kysely';

/**
 * Whoever watches a run hears of it by its id; whoever watches lists of a tenant, by the tenant, in the same
 * notification's commit. Batches and reconciliations tell of what lists show of them; agent runs do by their versions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function run_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify('countersign_runs', new.run_id);
      perform pg_notify('countersign_runs', 'tenant:' || new.tenant);
      return null;
    end $$;

    create function tell_tenant() returns trigger language plpgsql as $$
    begin
      perform pg_notify('countersign_runs', 'tenant:' || new.tenant);
      return null;
    end $$;
    create trigger tell_agent_run_begun after insert on agent_runs for each row execute function tell_tenant();
    create trigger tell_batch_begun after insert on batches for each row execute function tell_tenant();
    create trigger tell_batch_changed after update of state, paused_by, cancelled_by on batches for each row
      when ((old.state, old.paused_by, old.cancelled_by) is distinct from (new.state, new.paused_by, new.cancelled_by)) execute function tell_tenant();
    create trigger tell_reconciliation_begun after insert on reconciliations for each row execute function tell_tenant();
    create trigger tell_reconciliation_changed after update of state on reconciliations
      for each row when (old.state is distinct from new.state) execute function tell_tenant();
    create trigger tell_difference_found after insert on reconciliation_differences
      for each row execute function tell_tenant();
    create trigger tell_difference_changed after update of status on reconciliation_differences
      for each row when (old.status is distinct from new.status) execute function tell_tenant();
  `.execute(db);
}

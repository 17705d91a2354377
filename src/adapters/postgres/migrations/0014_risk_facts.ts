import { sql, type Kysely } from 'kysely';

/**
 * Where a payment's refunds go, and what was known of a refund's past when a revision was opened. Live watchers hear of
 * what people do and are reminded of, besides the changes of phase.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null where the provider does not say, as for every payment that was read before this column was there.
    alter table payments add column refunded_to text check (refunded_to in ('same_method', 'other_method'));
    alter table approval_revisions add column risk jsonb;

    -- While people are waited for, commits are few, so that notifying serializes nothing that is in a hurry.
    create trigger approval_changed after update of state on approvals
      for each row when (old.state is distinct from new.state) execute function run_notify();
    create trigger approvers_reminded after insert on notifications
      for each row when (new.template = 'approval_waiting') execute function run_notify();
  `.execute(db);
}

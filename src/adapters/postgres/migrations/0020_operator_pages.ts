import { sql, type Kysely } from 'kysely';

/** What operators look at: runs by who asked for them, and how much was decided on each day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- When an approval stopped waiting, ms: decided, expired or cancelled. It follows from the row itself.
    alter table approvals
      add column ended_at bigint generated always as ((state #>> '{decidedBy,at}')::bigint) stored;
    create index approvals_by_end on approvals (tenant, ended_at) include (status, opened_at)
      where ended_at is not null;
    create index runs_by_requester on runs (tenant, requester, created_at desc, run_id desc);
  `.execute(db);
}

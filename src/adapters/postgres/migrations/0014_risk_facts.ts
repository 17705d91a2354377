import { sql, type Kysely } from 'kysely';

/** Where a payment's refunds go, and what was known of a refund's past when a revision was opened. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Null where the provider does not say, as for every payment that was read before this column was there.
    alter table payments add column refunded_to text check (refunded_to in ('same_method', 'other_method'));
    alter table approval_revisions add column risk jsonb;
  `.execute(db);
}

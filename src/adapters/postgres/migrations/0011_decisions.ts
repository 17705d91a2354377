import { sql, type Kysely } from 'kysely';

/** `signed`: the comment of a decision that was given out as a proof is kept until somebody sends it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table decisions drop constraint decisions_status_check;
    alter table decisions add constraint decisions_status_check
      check (status in ('signed', 'recorded', 'applied', 'refused', 'voided'));
  `.execute(db);
}

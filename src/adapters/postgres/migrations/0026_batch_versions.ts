import { sql, type Kysely } from 'kysely';

/** A batch counts its changes, as agent runs do, and both tell whoever watches them that they have changed. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Every change counts; an order may name the version that its sender has seen (R34).
    alter table batches add column version integer not null default 1 check (version > 0);
    grant update (version) on batches to countersign_app;

    create function batch_notify() returns trigger language plpgsql as $$
    begin
      perform pg_notify('countersign_runs', new.batch_id);
      return null;
    end $$;
    create trigger batch_changed after update of version on batches for each row execute function batch_notify();
    create trigger agent_run_changed after update of version on agent_runs for each row execute function run_notify();
  `.execute(db);
}

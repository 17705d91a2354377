import { Client } from 'pg';

const lockClass = 4711;

/**
 * Holds runs inside the transaction of one step, so that a kill hits exactly there: everything before it is
 * committed, nothing of it is, and none of it is in Temporal's history yet. The suite's own database gets a trigger
 * for it; the product knows nothing of this.
 */
export class Holds {
  private constructor(private readonly session: Client) {}

  /** @param ownerUrl the role that owns the tables */
  static async open(ownerUrl: string): Promise<Holds> {
    const session = new Client({ connectionString: ownerUrl });
    await session.connect();
    await session.query(`
      create table chaos_holds (key serial primary key, run_id text not null, step text not null);
      create function chaos_hold() returns trigger language plpgsql security definer as $$
      declare held record;
      begin
        for held in select key from chaos_holds h
          where to_jsonb(new)->>'run_id' = h.run_id and to_jsonb(new)->>'event' = h.step
             or to_jsonb(new)->>'request_key' = h.run_id || ':' || h.step
        loop
          perform pg_advisory_xact_lock_shared(${lockClass}, held.key);
        end loop;
        return new;
      end $$;
      create trigger a_chaos_hold before insert on audit for each row execute function chaos_hold();
      create trigger a_chaos_hold before insert on memory_decisions for each row execute function chaos_hold();
    `);
    return new Holds(session);
  }

  /** From now on this run stops when it writes this audit event (or remembers, for `remember`). */
  async at(runId: string, step: string): Promise<void> {
    await this.session.query(
      `with hold as (insert into chaos_holds (run_id, step) values ($1, $2) returning key)
       select pg_advisory_lock(${lockClass}, key) from hold`,
      [runId, step],
    );
  }

  /** Runs that stand at their step now. */
  async held(): Promise<string[]> {
    const { rows } = await this.session.query<{ run_id: string }>(
      `select distinct run_id from pg_locks join chaos_holds on key = objid::int
       where locktype = 'advisory' and classid = ${lockClass} and not granted`,
    );
    return rows.map((row) => row.run_id);
  }

  async releaseAll(): Promise<void> {
    await this.session.query('delete from chaos_holds');
    await this.session.query('select pg_advisory_unlock_all()');
  }

  async close(): Promise<void> {
    await this.session.end();
  }
}

import { sql, type Kysely } from 'kysely';

/**
 * A function that runs with the owner's rights takes no temporary table or view for one of ours. Where its search path
 * leaves them out, PostgreSQL looks there first, and a view of the caller's own would run his code as the owner.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$
    declare f record;
    begin
      for f in
        select p.oid::regprocedure as signature, substr(setting, length('search_path=') + 1) as path
        from pg_proc p, unnest(p.proconfig) as setting
        where p.pronamespace = 'public'::regnamespace and p.proowner = current_user::regrole
          and setting like 'search_path=%' and setting not like '%pg_temp%'
      loop
        execute format('alter function %s set search_path = %s, pg_temp', f.signature, f.path);
      end loop;
    end $$;
  `.execute(db);
}

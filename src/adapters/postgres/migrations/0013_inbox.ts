import { sql, type Kysely } from 'kysely';

/**
 * What the inbox is filtered, sorted and searched by. All of it follows from the row itself, so it can't
 * disagree with it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Words of the row, and ids both whole and in parts. Amounts and hashes are not words.
    create function inbox_words(id text, run_id text, state jsonb, facts jsonb) returns tsvector
      language sql immutable set search_path = pg_catalog as $$
      select to_tsvector('simple'::regconfig, concat_ws(' ', id, run_id, state ->> 'target', state ->> 'requester',
        state ->> 'onBehalfOf', state #>> '{arguments,reason}', facts ->> 'note', facts ->> 'orderId',
        facts ->> 'customer', facts ->> 'evidence'))
    $$;
    create function inbox_risk(state jsonb, facts jsonb) returns text[]
      language sql immutable set search_path = pg_catalog as $$
      select array_remove(array[
        case when state #> '{policy,ruleIds}' ? 'aggregate' then 'aggregate' end,
        case when state #> '{policy,ruleIds}' ? 'daily-automatic-cap' then 'daily_cap' end,
        case when state #>> '{policy,oneFrom}' is not null then 'senior_only' end,
        case when (state #>> '{arguments,amount,minor}')::bigint > (state #>> '{proposals,0,minor}')::bigint
          then 'edited_up' end,
        case when (facts #>> '{payment,disputed,value}')::numeric > 0 then 'disputed' end,
        case when state ? 'onBehalfOf' then 'on_behalf' end], null)
    $$;
    alter table approvals
      add column risk text[] generated always as (inbox_risk(state, facts)) stored,
      add column customer text generated always as (facts ->> 'customer') stored,
      add column claimed_by text generated always as (state #>> '{claim,by}') stored,
      add column claimed_until bigint generated always as ((state #>> '{claim,until}')::bigint) stored,
      add column escalated_to text generated always as (state #>> '{escalatedTo,0}') stored,
      add column words tsvector generated always as (inbox_words(id, run_id, state, facts)) stored;

    create index approvals_by_deadline on approvals (tenant, status, deadline, id);
    create index approvals_by_amount on approvals (tenant, status, currency, amount, id);
    create index approvals_by_customer on approvals (tenant, status, customer, opened_at, id);
    create index approvals_by_claim on approvals (tenant, claimed_by, opened_at, id) where claimed_by is not null;
    create index approvals_by_words on approvals using gin (words);

    -- Row-level security keeps the planner from using an index for text search, which it takes for leaky; here the
    -- tenant is compared by equality, and ids alone come back.
    create function inbox_search(sought text, at_most integer) returns setof text
      language sql stable security definer set search_path = public as $$
      select id from approvals
      where tenant = current_setting('countersign.tenant', true)
        and words @@ websearch_to_tsquery('simple'::regconfig, sought)
      order by opened_at desc limit at_most
    $$;
    revoke all on function inbox_search(text, integer) from public;
    grant execute on function inbox_search(text, integer) to countersign_app;
  `.execute(db);
}

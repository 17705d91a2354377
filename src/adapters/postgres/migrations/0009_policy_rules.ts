import { sql, type Kysely } from 'kysely';

/** What the code said until then, so that a version from before rules were text means what it meant. */
const rulesUntilThen = `
@id("propose")
permit (principal in Group::"proposers", action == Action::"propose", resource);

@id("view")
permit (principal, action == Action::"view", resource);

@id("decide")
permit (principal, action in Action::"decide", resource)
when { principal in resource.asked || resource.delegates.contains(principal.id) };

@id("limit")
@code("over_limit")
forbid (principal, action == Action::"approve", resource)
when {
  principal has limit && resource.amount > principal.limit && !resource.leadRequired &&
  (principal in resource.asked || resource.delegates.contains(principal.id))
};

@id("answer")
permit (principal, action == Action::"answer_info", resource)
when {
  resource.requester == principal.id || (resource has onBehalfOf && resource.onBehalfOf == principal.id)
};

@id("cancel-own")
permit (principal, action == Action::"cancel", resource)
when {
  resource.requester == principal.id || (resource has onBehalfOf && resource.onBehalfOf == principal.id)
};

@id("cancel-any")
permit (principal in Group::"admins", action == Action::"cancel", resource);

@id("review")
permit (principal, action == Action::"review", resource)
when { principal in resource.reviewers };

@id("manage")
permit (principal in Group::"admins", action == Action::"manage", resource);
`;

/**
 * A version of a policy is a table and rules, with the example cases that it was published under. The application may
 * publish, and neither it nor the owner changes what was published; number and time are the trigger's (R34).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table policies
      add column number integer,
      add column cedar text not null default ${sql.lit(rulesUntilThen)},
      add column cases jsonb not null default '{"people": {}, "cases": []}',
      add column published_by text,
      add column comment text;

    update policies set number = numbered.number
      from (select tenant, version, row_number() over (partition by tenant order by published_at, version) as number
            from policies) numbered
      where policies.tenant = numbered.tenant and policies.version = numbered.version;
    alter table policies alter column number set not null, add unique (tenant, number);

    create function policy_publish() returns trigger language plpgsql as $$
    begin
      new.number := coalesce((select max(number) from policies where tenant = new.tenant), 0) + 1;
      new.published_at := clock_timestamp();
      return new;
    end $$;
    create trigger policy_publish before insert on policies for each row execute function policy_publish();

    create function policy_refuse() returns trigger language plpgsql as $$
    begin
      raise exception 'a published policy stays as it is; publish another version';
    end $$;
    create trigger policies_append_only before update or delete on policies
      for each row execute function policy_refuse();
    create trigger policies_no_truncate before truncate on policies
      for each statement execute function policy_refuse();

    grant insert on policies to countersign_app;
  `.execute(db);
}

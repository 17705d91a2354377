import { sql, type Kysely } from 'kysely';

/**
 * A rule of procedure that somebody proposes is an approval, carried by a workflow. That it is to be started, or that its
 * candidate has been taken away meanwhile, is owed in the transaction of the candidate, whoever changes that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function approval_has_its_subject() returns trigger language plpgsql as $$
    begin
      if not exists (select from runs where run_id = new.run_id)
        and not exists (select from batches where batch_id = new.run_id)
        and not exists (select from memory_candidates where id = new.run_id) then
        raise exception 'an approval is of a refund, of a batch or of a rule of procedure' using errcode = '23503';
      end if;
      return null;
    end $$;

    do $$
    declare was text;
    begin
      select pg_get_constraintdef(oid) into strict was from pg_constraint
        where conname = 'outbox_kind_check' and conrelid = 'outbox'::regclass;
      alter table outbox drop constraint outbox_kind_check;
      execute 'alter table outbox add constraint outbox_kind_check ' || replace(was, 'ARRAY[', 'ARRAY[''memory''::text, ');
    end $$;

    create function owe_rule_of_procedure() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      insert into outbox (tenant, run_id, kind, ref)
      values (coalesce(new.tenant, old.tenant), coalesce(new.id, old.id), 'memory', tg_argv[0])
      on conflict do nothing;
      return null;
    end $$;
    create trigger owe_its_start after insert on memory_candidates for each row
      when (new.kind = 'procedural' and new.status = 'waiting') execute function owe_rule_of_procedure('start');
    create trigger owe_its_end after update of status on memory_candidates for each row
      when (new.kind = 'procedural' and old.status = 'waiting' and new.status in ('replaced', 'revoked'))
      execute function owe_rule_of_procedure('gone');
    create trigger owe_its_erasure after delete on memory_candidates for each row
      when (old.kind = 'procedural' and old.status = 'waiting') execute function owe_rule_of_procedure('gone');

    -- Those that an erasure or a sweep looks through.
    create index approvals_of_rules on approvals (tenant, ended_at) where starts_with(run_id, 'mcd_');
  `.execute(db);
  await oweWaitingRules(db);
}

/** What waited until then in the queue of candidates waits in the inbox, until the same deadline. */
export async function oweWaitingRules(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into outbox (tenant, run_id, kind, ref)
    select tenant, id, 'memory', 'start' from memory_candidates where kind = 'procedural' and status = 'waiting'
    on conflict do nothing
  `.execute(db);
}

import { sql, type Kysely, type RawBuilder } from 'kysely';
import { searchFunctions } from './0016_recall_and_knowledge';

/** Pins of memories; and what is held or has faded takes no place any more among the best of a search. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Of a memory with all its versions, so it goes with the last of them, whatever takes that away.
    create table memory_pins (
      tenant text not null references tenants (id),
      owner text not null check (owner not in ('', '*')),
      kind text not null,
      key text not null,
      pinned_by text not null,
      pinned_at timestamptz not null default clock_timestamp(),
      primary key (tenant, owner, kind, key)
    );
    alter table memory_pins enable row level security;
    create policy owner_scope on memory_pins to countersign_app
      using (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true))
      with check (tenant = current_setting('countersign.tenant', true) and owner = current_setting('countersign.owner', true));
    grant select, insert, delete on memory_pins to countersign_app;

    create function unpin_what_is_gone() returns trigger language plpgsql security definer set search_path = public as $$
    begin
      delete from memory_pins p
        where (p.tenant, p.owner, p.kind, p.key) = (old.tenant, old.owner, old.kind, old.key)
          and not exists (select from memories m
            where (m.tenant, m.owner, m.kind, m.key) = (old.tenant, old.owner, old.kind, old.key));
      return null;
    end $$;
    create trigger unpin_what_is_gone after delete on memories for each row execute function unpin_what_is_gone();

    insert into owned_tables (place, table_name, kept_for, age, named, needed)
    values (25, 'memory_pins', 'memory', 't.pinned_at', 'false',
      'exists (select from memories m where (m.tenant, m.owner, m.kind, m.key) = (t.tenant, t.owner, t.kind, t.key))');
  `.execute(db);

  await searchMemories().execute(db);
}

/** What believed() says, as far as the index can be asked. */
export function searchMemories(): RawBuilder<unknown> {
  return searchFunctions('memory', {
    table: 'memories',
    narrowedBy: 'timestamptz',
    narrowed: `owner = current_setting('countersign.owner', true) and valid_from <= narrow
      and (valid_to is null or valid_to > narrow) and (expires_at is null or expires_at > narrow)
      and (fades_at is null or fades_at > narrow)
      and not exists (select from memory_holds h where h.memory_id = memories.id and h.held_at <= narrow
        and (h.ended_at is null or h.ended_at > narrow))`,
    first: 'valid_from desc, id',
  });
}

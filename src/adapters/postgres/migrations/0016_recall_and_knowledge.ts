import { sql, type Kysely, type RawBuilder } from 'kysely';
import { searchTokens } from '../../../domain/search/tokens';

/** Rows that are looked through for how common a word is, and counted for how many there are. */
const sampledRows = 10_000;
const countedRows = 20_000;

/**
 * Long-term memory is found by words and by ids, and there are documents to cite. Words come from the application, which
 * reads stored and asked text by one function; their endings are taken off here, by the dictionaries of PostgreSQL.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- One row a word; a word that says nothing ("the") has none.
    create function search_stems(words text[]) returns table (place bigint, word text, stem text)
      language sql immutable set search_path = pg_catalog as $$
      select w.place, w.word, s.stem
      from unnest(words) with ordinality as w (word, place), unnest(
        case
          when w.word ~ '^[a-z]' then ts_lexize('english_stem', w.word)
          when w.word ~ '^[\u0400-\u04ff]' then ts_lexize('russian_stem', w.word)
          when w.word ~ '^[\u0600-\u06ff]' then ts_lexize('arabic_stem', w.word)
          when w.word ~ '^[\u0900-\u097f]' then ts_lexize('hindi_stem', w.word)
          else array[w.word]
        end) as s (stem)
      where s.stem <> ''
    $$;
    create function search_vector(words text[]) returns tsvector
      language sql immutable set search_path = pg_catalog, public as $$
      select array_to_tsvector(array(select stem from search_stems(words)))
    $$;
    -- A word is never read as operators of a query.
    create function search_query(stem text) returns tsquery
      language sql immutable set search_path = pg_catalog as $$
      select ('''' || replace(replace(stem, '\\', '\\\\'), '''', '''''') || '''')::tsquery
    $$;
    create function search_any(stems text[]) returns tsquery
      language sql immutable set search_path = pg_catalog, public as $$
      select coalesce(string_agg(search_query(stem)::text, ' | '), '')::tsquery from unnest(stems) as s (stem)
    $$;

    alter table memories
      add column words tsvector not null default '',
      add column ids text[] not null default '{}';
    create index memories_by_words on memories using gin (words);
    create index memories_by_ids on memories using gin (ids);

    create table knowledge_documents (
      tenant text not null references tenants (id),
      id text not null,
      -- Counts on over deletion, so that an old citation never names new text.
      version integer not null check (version > 0),
      title text,
      format text check (format in ('text', 'markdown', 'html')),
      content_hash text,
      -- UTF-16 units of the text that was read, in which passages have their places.
      characters integer,
      ingested_by text not null,
      ingested_at timestamptz not null default clock_timestamp(),
      deleted_at timestamptz,
      primary key (tenant, id),
      check ((deleted_at is null) = (content_hash is not null))
    );
    create table knowledge_passages (
      tenant text not null,
      document text not null,
      version integer not null,
      number integer not null check (number > 0),
      id text not null generated always as (document || '#' || version || '.' || number) stored,
      headings text[] not null,
      starts_at integer not null,
      ends_at integer not null check (ends_at > starts_at),
      quote text not null,
      -- Whether it speaks to a model: shown, so that whoever reads it knows; it is data whatever it says (R53).
      instructs boolean not null,
      words tsvector not null,
      ids text[] not null,
      primary key (tenant, document, number),
      foreign key (tenant, document) references knowledge_documents (tenant, id)
    );
    create index knowledge_passages_by_words on knowledge_passages using gin (words);
    create index knowledge_passages_by_ids on knowledge_passages using gin (ids);
  `.execute(db);

  for (const table of ['knowledge_documents', 'knowledge_passages']) {
    await sql`
      alter table ${sql.table(table)} enable row level security;
      create policy tenant_scope on ${sql.table(table)} to countersign_app
        using (tenant = current_setting('countersign.tenant', true))
        with check (tenant = current_setting('countersign.tenant', true));
    `.execute(db);
  }
  await sql`
    grant select, insert, update (version, title, format, content_hash, characters, ingested_by, ingested_at, deleted_at)
      on knowledge_documents to countersign_app;
    grant select, insert, delete on knowledge_passages to countersign_app;
  `.execute(db);

  await searchFunctions('memory', {
    table: 'memories',
    narrowedBy: 'timestamptz',
    narrowed: `owner = current_setting('countersign.owner', true) and valid_from <= narrow
      and (valid_to is null or valid_to > narrow) and (expires_at is null or expires_at > narrow)`,
    first: 'valid_from desc, id',
  }).execute(db);
  await searchKnowledge().execute(db);

  await indexWhatIsThere(db);
}

export function searchKnowledge(): RawBuilder<unknown> {
  return searchFunctions('knowledge', {
    table: 'knowledge_passages',
    narrowedBy: 'text',
    narrowed: '(narrow is null or document = narrow)',
    first: 'document, number',
  });
}

/**
 * How common each word is, and which rows have most of what is sought. Row-level security keeps the planner from using an
 * index for text search, which it takes for leaky; here the scope is compared by equality.
 */
export function searchFunctions(
  name: string,
  { table, narrowedBy, narrowed, first }: Record<'table' | 'narrowedBy' | 'narrowed' | 'first', string>,
): RawBuilder<unknown> {
  const scope = `tenant = ${settingOf('tenant')} and ${narrowed}`;
  // Planned anew with what is really asked: how common a word is, and how much the owner has, decides between the indexes.
  // As values, since the planner looks nothing up for what a function returns.
  const inScope = scope
    .replaceAll('narrow', '$1')
    .replaceAll(settingOf('tenant'), '$2')
    .replaceAll(settingOf('owner'), '$3');
  const values = `narrow, ${settingOf('tenant')}, ${settingOf('owner')}`;
  return sql.raw(`
    create or replace function ${name}_frequencies(stems text[], narrow ${narrowedBy})
      returns table (corpus bigint, average_size double precision, found bigint[])
      language plpgsql stable security definer set search_path = pg_catalog, public as $$
    declare
      queries tsquery[] := array(select search_query(stem) from unnest(stems) as s (stem));
      counts text := coalesce((select string_agg(format('count(*) filter (where words @@ $4[%s])', i), ', ')
        from generate_subscripts(stems, 1) as i), '');
    begin
      return query execute
        'select (select count(*) from (select from ${table} where ${inScope} limit ${countedRows}) c),
           coalesce(avg(length(words)), 0)::double precision, array[' || counts || ']::bigint[]
         from (select words from ${table} where ${inScope} and words @@ $5 limit ${sampledRows}) s'
        using ${values}, queries, search_any(stems);
    end $$;

    create or replace function ${name}_matches(
      stems text[], weights double precision[], sought text[], exact text[], average_size double precision,
      narrow ${narrowedBy}, at_most integer)
      returns table (id text, stems_found text[], ids_found text[], size integer)
      language plpgsql stable security definer set search_path = pg_catalog, public as $$
    declare
      queries tsquery[] := array(select search_query(stem) from unnest(stems) as s (stem));
      score text := coalesce((select string_agg(format('$4[%s] * (words @@ $5[%s])::integer', i, i), ' + ')
        from generate_subscripts(stems, 1) as i), '0');
    begin
      return query execute
        'select m.id, array(select s.stem from unnest($9) as s (stem) where m.words @@ search_query(s.stem)),
           array(select i.id from unnest(m.ids) as i (id) where i.id = any ($6)), length(m.words)
         from (select id, words, ids from ${table}
           where ${inScope} and (words @@ $7 or ids && $6)
           order by (ids && $6) desc, (' || score || ') / (0.3 + 0.9 * length(words) / $8) desc, ${first}
           limit $10) m'
        using ${values}, weights, queries, exact, search_any(sought), greatest(average_size, 1), stems, at_most;
    end $$;

    revoke all on function ${name}_frequencies, ${name}_matches from public;
    grant execute on function ${name}_frequencies, ${name}_matches to countersign_app;
  `);
}

const settingOf = (name: 'tenant' | 'owner') => `current_setting('countersign.${name}', true)`;

/** What is remembered already is found as well, also by as-of questions. */
export async function indexWhatIsThere<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`alter table memories disable trigger memories_close_once`.execute(db);
  const { rows } = await sql<{ id: string; key: string; value: string }>`
    select id, key, value from memories`.execute(db);
  for (const { id, key, value } of rows) {
    const { words, ids } = searchTokens(`${key} ${value}`);
    await sql`update memories set words = search_vector(${words}), ids = ${ids} where id = ${id}`.execute(db);
  }
  await sql`alter table memories enable trigger memories_close_once`.execute(db);
}

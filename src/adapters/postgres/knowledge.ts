import { sql, type Selectable } from 'kysely';
import { relevanceOf } from '../../domain/search/relevance';
import { searchTokens } from '../../domain/search/tokens';
import type { Passage } from '../../domain/knowledge/passages';
import type {
  FoundPassage,
  Knowledge,
  KnowledgeDocument,
  NewDocument,
  StoredPassage,
} from '../../ports/knowledge';
import type { Transaction } from './database';
import type { KnowledgeTables } from './knowledgeTables';
import { searchText } from './textSearch';

const mostRanked = 200;
/** Passages a statement. */
const written = 200;

export class PostgresKnowledge implements Knowledge {
  constructor(
    private readonly trx: Transaction,
    private readonly tenant: string,
  ) {}

  async lock(id: string): Promise<void> {
    const subject = JSON.stringify([this.tenant, id]);
    await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 16))`.execute(this.trx);
  }

  async find(id: string): Promise<KnowledgeDocument | undefined> {
    const row = await this.documents().where('id', '=', id).executeTakeFirst();
    return row && documentOf(row);
  }

  async lastVersion(id: string): Promise<number> {
    const row = await this.trx
      .selectFrom('knowledge_documents')
      .select('version')
      .where('tenant', '=', this.tenant)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.version ?? 0;
  }

  async replace({ passages, ...document }: NewDocument): Promise<number> {
    const version = (await this.lastVersion(document.id)) + 1;
    const { id, title, format, contentHash, characters, ingestedBy } = document;
    const values = {
      version,
      title,
      format,
      content_hash: contentHash,
      characters,
      ingested_by: ingestedBy,
      deleted_at: null,
    };
    await this.trx
      .insertInto('knowledge_documents')
      .values({ tenant: this.tenant, id, ...values })
      .onConflict((oc) =>
        oc.columns(['tenant', 'id']).doUpdateSet({ ...values, ingested_at: sql<Date>`clock_timestamp()` }),
      )
      .execute();
    await this.removePassages(id);
    for (let from = 0; from < passages.length; from += written) {
      const rows = passages.slice(from, from + written).map((passage) => this.rowOf(id, version, passage));
      await this.trx.insertInto('knowledge_passages').values(rows).execute();
    }
    return version;
  }

  async remove(id: string): Promise<boolean> {
    await this.removePassages(id);
    const { numUpdatedRows } = await this.trx
      .updateTable('knowledge_documents')
      .set({ title: null, format: null, content_hash: null, characters: null })
      .set('deleted_at', sql<Date>`clock_timestamp()`)
      .where('tenant', '=', this.tenant)
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async list(after: string | undefined, limit: number): Promise<KnowledgeDocument[]> {
    const rows = await this.documents()
      .$if(after !== undefined, (q) => q.where('id', '>', after ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(documentOf);
  }

  async passages(document: string, after: number, limit: number): Promise<StoredPassage[]> {
    const rows = await this.allPassages()
      .where('document', '=', document)
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map(passageOf);
  }

  async passage(document: string, number: number): Promise<StoredPassage | undefined> {
    const row = await this.allPassages()
      .where('document', '=', document)
      .where('number', '=', number)
      .executeTakeFirst();
    return row && passageOf(row);
  }

  async search(text: string, limit: number, document?: string): Promise<FoundPassage[]> {
    const narrow = sql`${document ?? null}::text`;
    const { asked, corpus, matches } = await searchText(this.trx, 'knowledge', text, narrow, mostRanked);
    const ranked = matches
      .map((match) => ({ id: match.id, match, relevance: relevanceOf(match, asked, corpus) }))
      .map((one) => ({ ...one, score: one.relevance.ids + one.relevance.words }))
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    if (ranked.length === 0) return [];
    const rows = await this.allPassages()
      .innerJoin('knowledge_documents as d', (join) =>
        join.onRef('d.tenant', '=', 'p.tenant').onRef('d.id', '=', 'p.document'),
      )
      .select('d.title')
      .where(
        'p.id',
        'in',
        ranked.map(({ id }) => id),
      )
      .execute();
    const found = new Map(rows.map((row) => [row.id, row]));
    return ranked.flatMap(({ id, match, relevance, score }) => {
      const row = found.get(id);
      const words = relevance.terms.map(({ word }) => word);
      return row ? [{ ...passageOf(row), title: row.title ?? '', score, words, ids: match.ids }] : [];
    });
  }

  private documents() {
    return this.trx
      .selectFrom('knowledge_documents as d')
      .selectAll('d')
      .select((row) =>
        row
          .selectFrom('knowledge_passages as p')
          .select((count) => count.fn.countAll<number>().as('n'))
          .whereRef('p.tenant', '=', 'd.tenant')
          .whereRef('p.document', '=', 'd.id')
          .as('passages'),
      )
      .where('d.tenant', '=', this.tenant)
      .where('d.deleted_at', 'is', null);
  }

  private allPassages() {
    return this.trx
      .selectFrom('knowledge_passages as p')
      .select(['p.id', 'p.document', 'p.version', 'p.number', 'p.headings', 'p.starts_at', 'p.ends_at'])
      .select(['p.quote', 'p.instructs'])
      .where('p.tenant', '=', this.tenant);
  }

  private async removePassages(document: string): Promise<void> {
    await this.trx
      .deleteFrom('knowledge_passages')
      .where('tenant', '=', this.tenant)
      .where('document', '=', document)
      .execute();
  }

  private rowOf(document: string, version: number, passage: Passage) {
    const { number, headings, start, end, quote, instructs } = passage;
    const { words, ids } = searchTokens(`${headings.join(' ')} ${quote}`);
    return {
      tenant: this.tenant,
      document,
      version,
      number,
      headings: [...headings],
      starts_at: start,
      ends_at: end,
      quote,
      instructs,
      words: sql<string>`search_vector(${words}::text[])`,
      ids: [...ids],
    };
  }
}

function documentOf(
  row: Selectable<KnowledgeTables['knowledge_documents']> & { readonly passages: number | null },
): KnowledgeDocument {
  return {
    id: row.id,
    version: row.version,
    title: row.title ?? row.id,
    format: row.format ?? 'text',
    contentHash: row.content_hash ?? '',
    characters: row.characters ?? 0,
    passages: row.passages ?? 0,
    ingestedBy: row.ingested_by,
    ingestedAt: row.ingested_at.getTime(),
  };
}

type PassageRow = Pick<
  Selectable<KnowledgeTables['knowledge_passages']>,
  'document' | 'version' | 'number' | 'headings' | 'starts_at' | 'ends_at' | 'quote' | 'instructs'
>;

function passageOf(row: PassageRow): StoredPassage {
  const { document, version, number, headings, quote, instructs } = row;
  return { document, version, number, headings, start: row.starts_at, end: row.ends_at, quote, instructs };
}

import type { ColumnType } from 'kysely';
import type { DocumentFormat } from '../../domain/knowledge/document';
import type { Computed, EndTime, Time } from './columns';

/** The tables of migrations/0016_recall_and_knowledge.ts; a document that was deleted keeps its number alone. */
export interface KnowledgeTables {
  knowledge_documents: {
    tenant: string;
    id: string;
    version: number;
    title: string | null;
    format: DocumentFormat | null;
    content_hash: string | null;
    characters: number | null;
    ingested_by: string;
    ingested_at: Time;
    deleted_at: EndTime;
  };
  knowledge_passages: {
    tenant: string;
    document: string;
    version: number;
    number: number;
    id: Computed<string>;
    headings: string[];
    starts_at: number;
    ends_at: number;
    quote: string;
    instructs: boolean;
    words: ColumnType<string, string, never>;
    ids: string[];
  };
}

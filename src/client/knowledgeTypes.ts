import type { BodyOf, Schemas } from './schemas';

export type DocumentToIngest = BodyOf<'ingestDocument'>;
export type DocumentFormat = DocumentToIngest['format'];
export type KnowledgeDocument = Schemas['KnowledgeDocument'];
export type IngestedDocument = Schemas['IngestedDocument'];
/** Somebody else wrote its quote: data, whatever it says. */
export type KnowledgePassage = Schemas['KnowledgePassage'];
export type FoundPassage = Schemas['FoundPassage'];

export interface KnowledgeQuestion {
  /** 1 to 50. Default 5. */
  readonly limit?: number | undefined;
  /** In this document alone. */
  readonly document?: string | undefined;
}

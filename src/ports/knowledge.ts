import type { DocumentFormat } from '../domain/knowledge/document';
import type { Passage } from '../domain/knowledge/passages';

/** A document as it is now. Times in ms since the epoch. */
export interface KnowledgeDocument {
  readonly id: string;
  /** Counts on whenever the content changes, and over deletion. */
  readonly version: number;
  readonly title: string;
  readonly format: DocumentFormat;
  /** SHA-256 of what was ingested, hex. */
  readonly contentHash: string;
  /** UTF-16 units of its text. */
  readonly characters: number;
  readonly passages: number;
  readonly ingestedBy: string;
  readonly ingestedAt: number;
}

export type NewDocument = Omit<KnowledgeDocument, 'version' | 'passages' | 'ingestedAt'> & {
  readonly passages: readonly Passage[];
};

export interface StoredPassage extends Passage {
  readonly document: string;
  readonly version: number;
}

export interface FoundPassage extends StoredPassage {
  readonly title: string;
  /** 0 to 1, and 1 more where an id of the question is named exactly. */
  readonly score: number;
  /** Words of the question that it has, the rarest first. */
  readonly words: readonly string[];
  readonly ids: readonly string[];
}

/** Documents of one tenant, and their passages. */
export interface Knowledge {
  /** Whoever changes this document next waits until the transaction ends. */
  lock(id: string): Promise<void>;
  find(id: string): Promise<KnowledgeDocument | undefined>;
  /** The number that its last version had, also after it was deleted; 0 for none. */
  lastVersion(id: string): Promise<number>;
  /** Puts a document in place of what has its id, with all its passages. @returns its version */
  replace(document: NewDocument): Promise<number>;
  /** Removes text, title and passages; the number of its last version stays. @returns false when there was none */
  remove(id: string): Promise<boolean>;
  /** By id. */
  list(after: string | undefined, limit: number): Promise<KnowledgeDocument[]>;
  /** In their order. */
  passages(document: string, after: number, limit: number): Promise<StoredPassage[]>;
  passage(document: string, number: number): Promise<StoredPassage | undefined>;
  /** Best first. */
  search(text: string, limit: number, document?: string): Promise<FoundPassage[]>;
}

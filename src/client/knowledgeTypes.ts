import type { DocumentFormat } from '../domain/knowledge/document';
import type { Passage } from '../domain/knowledge/passages';

export type { DocumentFormat };

export interface DocumentToIngest {
  /** Small letters, digits, points, hyphens and underscores; citations name it. */
  readonly document: string;
  readonly format: DocumentFormat;
  /** At most 500,000 UTF-16 units. */
  readonly text: string;
  /** By default the first heading, or the id. */
  readonly title?: string | undefined;
}

export interface KnowledgeDocument {
  readonly document: string;
  /** Counts on with every change, also over deletion. */
  readonly version: number;
  readonly title: string;
  readonly format: DocumentFormat;
  readonly contentHash: string;
  /** UTF-16 units of its text. */
  readonly characters: number;
  readonly passages: number;
  readonly ingestedBy: string;
  readonly ingestedAt: string;
}

export interface IngestedDocument extends KnowledgeDocument {
  /** False when the same content was there. */
  readonly changed: boolean;
}

/** Somebody else wrote its quote: data, whatever it says. */
export interface KnowledgePassage extends Passage {
  /** `knowledge:<document>#<version>.<number>`. */
  readonly citation: string;
  readonly document: string;
  readonly version: number;
}

export interface FoundPassage extends KnowledgePassage {
  readonly title: string;
  /** Higher is better; comparable within one answer. */
  readonly score: number;
  /** Words and ids of the question that it has. */
  readonly words: readonly string[];
  readonly ids: readonly string[];
}

export interface KnowledgeQuestion {
  /** 1 to 50. Default 5. */
  readonly limit?: number | undefined;
  /** In this document alone. */
  readonly document?: string | undefined;
}

import type { CallOptions, Transport } from './transport';
import type {
  DocumentToIngest,
  FoundPassage,
  IngestedDocument,
  KnowledgeDocument,
  KnowledgePassage,
  KnowledgeQuestion,
} from './knowledgeTypes';
import { itemsOfPages } from './pages';
import type { Page } from './types';

export interface KnowledgePage {
  /** Items a page, 1 to 200. Default 50. */
  readonly limit?: number | undefined;
  /** `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined;
}

const root = '/v1/knowledge';

/** `countersign.knowledge`: documents of the tenant, found and cited by passage. */
export class Knowledge {
  constructor(private readonly transport: Transport) {}

  /**
   * Puts a document in place of its earlier version; the same content again changes nothing. Administrators only.
   * @throws CountersignError 413 body_too_large; 422 invalid_request, sensitive_text; 403 forbidden
   */
  async ingest(document: DocumentToIngest, options: CallOptions = {}): Promise<IngestedDocument> {
    const call = { method: 'POST', path: root, body: document, ...options } as const;
    return (await this.transport.call<IngestedDocument>(call)).body;
  }

  /** One page, by id. */
  async list(page: KnowledgePage = {}, options: CallOptions = {}): Promise<Page<KnowledgeDocument>> {
    const call = { path: root, query: { ...page }, ...options };
    return (await this.transport.call<Page<KnowledgeDocument>>(call)).body;
  }

  /** Every document. */
  all(
    page: Omit<KnowledgePage, 'cursor'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<KnowledgeDocument> {
    return itemsOfPages((cursor) => this.list({ ...page, cursor }, options));
  }

  /** @throws CountersignError not_found */
  async show(document: string, options: CallOptions = {}): Promise<KnowledgeDocument> {
    return (await this.transport.call<KnowledgeDocument>({ path: pathOf(document), ...options })).body;
  }

  /** Passages in their order, each fetched when it is needed. @throws CountersignError not_found */
  passages(document: string, options: CallOptions = {}): AsyncGenerator<KnowledgePassage> {
    return itemsOfPages(async (cursor) => {
      const call = { path: `${pathOf(document)}/passages`, query: { cursor, limit: 200 }, ...options };
      return (await this.transport.call<Page<KnowledgePassage>>(call)).body;
    });
  }

  /**
   * What a citation names, `knowledge:<document>#<version>.<passage>`.
   * @throws CountersignError not_found; 410 passage_superseded when the document has changed since
   */
  async cited(citation: string, options: CallOptions = {}): Promise<KnowledgePassage> {
    const [document = '', passage = ''] = citation.replace(/^knowledge:/, '').split('#', 2);
    const path = `${pathOf(document)}/passages/${encodeURIComponent(passage)}`;
    return (await this.transport.call<KnowledgePassage>({ path, ...options })).body;
  }

  /** Passages that have words or ids of the question, best first. */
  async search(
    question: string,
    { limit, document }: KnowledgeQuestion = {},
    options: CallOptions = {},
  ): Promise<readonly FoundPassage[]> {
    const call = { path: `${root}/search`, query: { q: question, limit, document }, ...options };
    return (await this.transport.call<{ items: FoundPassage[] }>(call)).body.items;
  }

  /** Removes it with all its passages. Administrators only. @throws CountersignError not_found, forbidden */
  async delete(document: string, options: CallOptions = {}): Promise<void> {
    await this.transport.call<void>({ method: 'DELETE', path: pathOf(document), ...options });
  }
}

function pathOf(document: string): string {
  return `${root}/${encodeURIComponent(document)}`;
}

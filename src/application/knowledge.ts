import { createHash } from 'node:crypto';
import { CountersignError } from '../domain/errors';
import { parseCitation, parsePassageName } from '../domain/knowledge/citation';
import { readDocument, type DocumentBody } from '../domain/knowledge/document';
import { passagesOf, titleOf } from '../domain/knowledge/passages';
import { refuseUnlessPermitted } from '../domain/policy/authorization';
import { pageOf } from '../domain/page';
import type { FoundPassage, KnowledgeDocument, NewDocument, StoredPassage } from '../ports/knowledge';
import type { Principal } from '../ports/people';
import type { Unit } from '../ports/store';
import { auditChange } from './admin/administer';
import type { UseCases } from './dependencies';
import { refuseSensitive, refuseSensitiveIds } from './freeText';

type Needs = Pick<UseCases, 'store' | 'authorization'>;

/** Who stands as the one who ingested, and whose audit chain it is. */
export type Ingester = Pick<Principal, 'tenant' | 'id'>;

export interface Ingested {
  readonly document: KnowledgeDocument;
  /** False when the same content was there: nothing was written. */
  readonly changed: boolean;
}

/**
 * Reads a document, cuts it into passages and puts them in place of those of its earlier version, in one transaction.
 * The same content again changes nothing, so repeating it is harmless.
 * @throws CountersignError sensitive_text, forbidden
 */
export async function ingestDocument(
  useCases: Needs,
  principal: Principal,
  body: DocumentBody,
): Promise<Ingested> {
  const read = prepareDocument(body, principal.id);
  return useCases.store.inTenant(principal.tenant, async (unit) => {
    await checkManages(useCases, unit, principal);
    return storeDocument(unit, principal, read);
  });
}

/**
 * What becomes of a source before anything is stored: no database, no clock.
 * @throws CountersignError sensitive_text
 */
export function prepareDocument({ document, format, text, title }: DocumentBody, by: string): NewDocument {
  refuseSensitiveIds({ document });
  refuseSensitive('title', title);
  refuseSensitive('text', text);
  const read = readDocument(format, text);
  // What was hidden in the source, as in entities of HTML, shows once it is read.
  refuseSensitive('text', read.text);
  return {
    id: document,
    title: title ?? titleOf(read) ?? document,
    format,
    contentHash: createHash('sha256')
      .update(JSON.stringify([format, title ?? null, text]))
      .digest('hex'),
    characters: read.text.length,
    ingestedBy: by,
    passages: passagesOf(read),
  };
}

/** One document in one transaction, with its audit row; a batch calls this for each of its items. */
export async function storeDocument(unit: Unit, by: Ingester, document: NewDocument): Promise<Ingested> {
  const { knowledge } = unit;
  await knowledge.lock(document.id);
  const before = await knowledge.find(document.id);
  if (before?.contentHash === document.contentHash) return { document: before, changed: false };
  const version = await knowledge.replace(document);
  await auditChange(unit, by, {
    event: 'document_ingested',
    ...(before ? { before: { document: before.id, version: before.version, hash: before.contentHash } } : {}),
    after: { document: document.id, version, hash: document.contentHash, passages: document.passages.length },
  });
  return { document: await existing(unit, document.id), changed: true };
}

/** Removes a document with all its passages. @throws CountersignError not_found, forbidden */
export async function deleteDocument(useCases: Needs, principal: Principal, id: string): Promise<void> {
  await useCases.store.inTenant(principal.tenant, async (unit) => {
    await unit.knowledge.lock(id);
    const before = await existing(unit, id);
    await checkManages(useCases, unit, principal);
    await unit.knowledge.remove(id);
    await auditChange(unit, principal, {
      event: 'document_deleted',
      before: { document: id, version: before.version, hash: before.contentHash },
    });
  });
}

/** By id. */
export async function listDocuments(
  { store }: Needs,
  { tenant }: Principal,
  { after, limit }: { readonly after?: string; readonly limit: number },
): Promise<{ items: KnowledgeDocument[]; next: string | null }> {
  const rows = await store.inTenant(tenant, ({ knowledge }) => knowledge.list(after, limit + 1));
  const { page, last } = pageOf(rows, limit);
  return { items: page, next: last?.id ?? null };
}

/** @throws CountersignError not_found */
export async function showDocument(
  { store }: Needs,
  { tenant }: Principal,
  id: string,
): Promise<KnowledgeDocument> {
  return store.inTenant(tenant, (unit) => existing(unit, id));
}

/** Its passages in their order. @throws CountersignError not_found */
export async function listPassages(
  { store }: Needs,
  { tenant }: Principal,
  id: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<{ items: StoredPassage[]; next: number | null }> {
  return store.inTenant(tenant, async (unit) => {
    await existing(unit, id);
    const rows = await unit.knowledge.passages(id, after, limit + 1);
    const { page, last } = pageOf(rows, limit);
    return { items: page, next: last?.number ?? null };
  });
}

/**
 * The passage that a citation names, as `2.7` of a document.
 * @throws CountersignError not_found; passage_superseded (details: document, version, current) when the document has changed
 */
export async function readPassage(
  { store }: Pick<Needs, 'store'>,
  { tenant }: Pick<Principal, 'tenant'>,
  id: string,
  name: string,
): Promise<StoredPassage> {
  const cited = parsePassageName(name);
  return store.inTenant(tenant, async (unit) => {
    const document = await existing(unit, id);
    if (cited && cited.version < document.version)
      throw new CountersignError('passage_superseded', undefined, {
        document: id,
        version: cited.version,
        current: document.version,
      });
    const passage = cited && (await unit.knowledge.passage(id, cited.number));
    if (passage?.version !== cited?.version || !passage) throw new CountersignError('not_found');
    return passage;
  });
}

/** What a `knowledge:` reference names. @throws CountersignError as readPassage; invalid_request for what is no citation */
export async function readCitation(
  needs: Pick<Needs, 'store'>,
  principal: Pick<Principal, 'tenant'>,
  text: string,
): Promise<StoredPassage> {
  const citation = parseCitation(text);
  if (!citation)
    throw new CountersignError('invalid_request', 'a citation is knowledge:<document>#<version>.<passage>');
  return readPassage(needs, principal, citation.document, `${citation.version}.${citation.number}`);
}

/** Passages that have words or ids of the question, best first. */
export async function searchKnowledge(
  { store }: Pick<Needs, 'store'>,
  { tenant }: Pick<Principal, 'tenant'>,
  question: { readonly text: string; readonly limit: number; readonly document?: string },
): Promise<FoundPassage[]> {
  return store.inTenant(tenant, ({ knowledge }) =>
    knowledge.search(question.text, question.limit, question.document),
  );
}

async function existing({ knowledge }: Unit, id: string): Promise<KnowledgeDocument> {
  const document = await knowledge.find(id);
  if (!document) throw new CountersignError('not_found');
  return document;
}

async function checkManages({ authorization }: Needs, unit: Unit, principal: Principal): Promise<void> {
  const question = { who: principal, action: 'manage', setting: 'knowledge' } as const;
  refuseUnlessPermitted(
    authorization.under(await unit.policies.newest())(question),
    'only an administrator changes documents',
  );
}
